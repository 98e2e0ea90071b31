-- The rows that a file made, so that the import can be undone for a while; with the number of places that named each of them then.
create table imported_rows (
  id uuid primary key,
  user_id uuid not null references account (id) on delete cascade,
  org_id text not null,
  resource text not null,
  ids uuid[] not null,
  uses integer[] not null,
  date_expired timestamptz not null
);
create index imported_rows_expired on imported_rows (date_expired);
create index imported_rows_user on imported_rows (user_id);
