-- The running servers that share this database, and where each of them listens for the others.
create table server (
  -- The same text as session.holder.
  id text primary key,
  host text not null,
  port integer not null,
  date_started timestamptz not null default now(),
  date_seen timestamptz not null default now(),
  -- It ends its sessions and takes no new ones.
  is_stopping boolean not null default false
);

-- How many sign-ins an address may still begin, counted for all servers together. Worth nothing after a crash.
create unlogged table sign_in_rate (
  place text primary key,
  "left" double precision not null,
  date_counted timestamptz not null default now()
);

-- Recordings that wait for their server to return.
create index session_unrecovered on session (holder) where is_finished and replay_state = 'recording';
