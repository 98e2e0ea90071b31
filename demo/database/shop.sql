-- Content of demo-shop: a small shop, created once by the role of the users.
create table customer (
  id int generated always as identity primary key,
  name text not null, city text not null, since date not null);
create table product (
  id int generated always as identity primary key,
  name text not null, price numeric(8, 2) not null, stock int not null);
create table orders (
  id int generated always as identity primary key,
  customer_id int not null references customer, placed_at timestamptz not null,
  status text not null check (status in ('new', 'paid', 'sent', 'returned')), note text);
create table order_line (
  order_id int references orders, product_id int references product,
  amount int not null check (amount > 0), primary key (order_id, product_id));
create index orders_customer on orders (customer_id);
create view revenue_by_month as
  select date_trunc('month', o.placed_at)::date as month, sum(l.amount * p.price) as revenue,
    count(distinct o.id) as orders
  from orders o
    join order_line l on l.order_id = o.id
    join product p on p.id = l.product_id
  where o.status <> 'returned' group by 1;
comment on table orders is 'Orders of the last two years, made up';
insert into customer (name, city, since)
  select (array['王芳', '李伟', 'Anna Schmidt', '张敏', 'Jonas Weber', '刘洋', 'Emily Carter', '陈静',
      'Lukas Meyer', '赵磊'])[1 + n % 10] || ' ' || n,
    (array['上海', '北京', 'Frankfurt', '深圳', 'Portland', '杭州'])[1 + n % 6], current_date - 100 - n
  from generate_series(1, 600) n;
insert into product (name, price, stock)
  select (array['茶杯', 'Desk lamp', '书架', 'Chair', '台灯', 'Notebook', '背包', 'Bottle'])[1 + n % 8]
      || ' ' || chr(64 + 1 + n % 26),
    5 + (n * 37 % 4000) / 10.0, n * 13 % 200
  from generate_series(1, 80) n;
insert into orders (customer_id, placed_at, status, note)
  select 1 + n * 7 % 600, now() - make_interval(hours => n * 17520 / 20000),
    (array['paid', 'sent', 'sent', 'sent', 'new', 'returned'])[1 + n % 6],
    case when n % 25 = 0 then '请在工作日送货' end
  from generate_series(1, 20000) n;
insert into order_line
  select o.id, 1 + (o.id * 11 + k * 29) % 80, 1 + (o.id + k) % 4
  from orders o, generate_series(0, 2) k on conflict do nothing;
analyze;
