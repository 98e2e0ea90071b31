-- Hashes of the passwords that a user had before, the last 24. New passwords are compared with them.
create table former_password (
  user_id uuid not null references account (id) on delete cascade,
  password text not null,
  date_replaced timestamptz not null default clock_timestamp()
);
create index former_password_user on former_password (user_id, date_replaced);

create function keep_former_password() returns trigger language plpgsql as $$
begin
  insert into former_password (user_id, password) values (new.id, old.password);
  delete from former_password where user_id = new.id and date_replaced < (
    select min(date_replaced) from (
      select date_replaced from former_password where user_id = new.id
      order by date_replaced desc limit 24) kept);
  return null;
end $$;
create trigger keep_former_password after update of password on account
  for each row when (old.password is not null and old.password is distinct from new.password)
  execute function keep_former_password();
