-- The periodic import of a directory: when it was begun last, by whichever server, and what came of it.
create table ldap_periodic (
  only_row boolean primary key default true check (only_row),
  date_begun timestamptz,
  date_done timestamptz,
  -- Why nothing was imported; blank when something was.
  reason text not null default '',
  created integer not null default 0,
  updated integer not null default 0,
  unchanged integer not null default 0,
  -- Who was left out, and why: [{"username": ..., "reason": code}]
  refused jsonb not null default '[]'
);
insert into ldap_periodic default values;
