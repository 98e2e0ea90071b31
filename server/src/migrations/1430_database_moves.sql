-- Set when the contents were moved to another database. A server does not start on a database that
-- has a row here: what it wrote would be missing in the other one.
create table database_move (
  date_moved timestamptz not null default now(),
  -- Host, port and name of the other database, without credentials.
  place text not null
);
