-- The ports that a condition lets connections be forwarded to; empty: all.
alter table condition add column ports text[] not null default '{}',
  add column ports_excluded boolean not null default false;
