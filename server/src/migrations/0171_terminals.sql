-- Each running server is a terminal: it registers when it starts and says every few seconds that it is alive. The holder names the server across restarts,
-- as in `session.holder`.
create table terminal (
  id uuid primary key default gen_random_uuid(),
  name text not null,
  holder text not null unique,
  remote_addr text not null default '',
  ssh_port integer not null default 0,
  http_port integer not null default 0,
  version text not null default '',
  load integer not null default 0,
  is_active boolean not null default true,
  date_heartbeat timestamptz,
  date_created timestamptz not null default now(),
  comment text not null default '',
  search_text text generated always as (lower(name || E'\n' || remote_addr)) stored
);
create unique index terminal_name on terminal (name);
create index terminal_search on terminal using gin (search_text gin_trgm_ops);

alter table session add column terminal uuid references terminal (id) on delete set null;
create index session_terminal on session (terminal) where terminal is not null;
