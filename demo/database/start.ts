import { join } from 'node:path';
import pg from 'pg';
import { embeddedUrl } from '../../server/src/platform/db/embedded.ts';
import { DATABASE } from '../../server/src/platform/db/roles.ts';
import { socketPath } from '../../server/src/platform/db/socket-folder.ts';
import { type Bridge, startBridge } from './bridge.ts';

/** Role and database of demo users. */
export const SHOP_ROLE = 'demo_shop';
export const SHOP_DATABASE = 'demo_shop';
const SOCKET_FILE = '.s.PGSQL.5432';
const MOST_CONNECTIONS = 20;

export interface DemoDatabaseOptions {
  readonly dataDirectory: string;
  /** Port of the last start. */
  readonly port: number | undefined;
  readonly password: string;
}

/**
 * Creates a shop in a separate database of the embedded PostgreSQL, and opens a loopback port for
 * its role.
 */
export async function startDemoDatabase({
  dataDirectory,
  port,
  password,
}: DemoDatabaseOptions): Promise<Bridge> {
  await prepare(dataDirectory, password);
  const options = {
    socketFile: join(socketPath(dataDirectory), SOCKET_FILE),
    role: SHOP_ROLE,
    database: SHOP_DATABASE,
  };
  try {
    return await startBridge({ ...options, port: port ?? 0 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    return startBridge({ ...options, port: 0 });
  }
}

async function prepare(dataDirectory: string, password: string): Promise<void> {
  const url = new URL(embeddedUrl(dataDirectory, 'setup'));
  await connected(url.href, async (setup) => {
    const { rows: roles } = await setup.query('select 1 from pg_roles where rolname = $1', [
      SHOP_ROLE,
    ]);
    if (roles.length === 0)
      await setup.query(`create role ${SHOP_ROLE} login connection limit ${MOST_CONNECTIONS}`);
    await setup.query(`alter role ${SHOP_ROLE} password ${setup.escapeLiteral(password)}`);
    // The role owns its database and must not connect to the product's.
    await setup.query(`revoke connect, temporary on database ${DATABASE}, template1 from public`);
    const { rows: databases } = await setup.query('select 1 from pg_database where datname = $1', [
      SHOP_DATABASE,
    ]);
    if (databases.length === 0) {
      await setup.query(`create database ${SHOP_DATABASE} owner ${SHOP_ROLE}`);
      await setup.query(`revoke connect, temporary on database ${SHOP_DATABASE} from public`);
    }
  });
  url.pathname = `/${SHOP_DATABASE}`;
  url.username = SHOP_ROLE;
  url.password = password;
  await connected(url.href, async (shop) => {
    const { rows } = await shop.query(
      `select to_regclass('public.orders') is not null as "isFilled"`,
    );
    if (!rows[0]?.isFilled) await shop.query(`begin; ${SHOP}; commit`);
  });
}

async function connected(
  connectionString: string,
  work: (client: pg.Client) => Promise<void>,
): Promise<void> {
  const client = new pg.Client({ connectionString });
  client.on('error', () => undefined);
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}

/** Content of the demo database: a small shop, created once by the role of the users. */
const SHOP = `
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
analyze`;
