-- An installation issues its own license at its first start, once. Installations that already have accounts began without: there an administrator decides.
create table license_start (
  only_row boolean primary key default true check (only_row),
  date_begun timestamptz not null default now()
);
insert into license_start (only_row) select true from account limit 1;
