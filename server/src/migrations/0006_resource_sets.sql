-- Sets of ids that a person selected, named by an id of their own (`spm`), so that a list, an export or a deletion can mean exactly these.
create table resource_set (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references account (id) on delete cascade,
  ids uuid[] not null,
  date_expired timestamptz not null
);
create index resource_set_expired on resource_set (date_expired);
