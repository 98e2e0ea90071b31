-- Programs that work for a user: each has a token of its own, which opens /mcp only, and a leash.
alter table web_session drop constraint web_session_kind_check;
alter table web_session add constraint web_session_kind_check
  check (kind in ('browser', 'bearer', 'ssh', 'agent'));

create table agent (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references account (id) on delete cascade,
  name text not null,
  client text not null default '',
  task text not null,
  -- One pattern per line.
  hosts text not null,
  accounts text not null,
  command_mode text not null check (command_mode in ('listed', 'any')),
  commands text not null default '',
  denied text not null default '',
  minutes integer not null,
  max_commands integer not null,
  max_kib integer not null,
  used_commands integer not null default 0,
  used_bytes bigint not null default 0,
  -- The sign-in of its token. The row of the sign-in disappears when the token ends.
  sign_in_id uuid not null,
  date_created timestamptz not null default now(),
  date_expired timestamptz not null,
  date_ended timestamptz,
  ended_by text not null default '',
  date_last_used timestamptz,
  search_text text generated always as (lower(name || E'\n' || client || E'\n' || task)) stored
);
create index agent_user on agent (user_id, date_created desc);
create index agent_search on agent using gin (search_text gin_trgm_ops);

create table agent_call (
  id uuid primary key default gen_random_uuid(),
  agent_id uuid not null references agent (id) on delete cascade,
  user_id uuid not null references account (id) on delete cascade,
  tool text not null check (tool in ('run')),
  host text not null,
  account text not null default '',
  input text not null,
  -- What the agent gave as its reason: text of the agent.
  reason text not null default '',
  -- A repeated call with the same key returns the first result.
  request_key text,
  state text not null default 'running'
    check (state in ('running', 'done', 'refused', 'failed', 'ended')),
  detail text not null default '',
  exit_code integer,
  output_bytes bigint not null default 0,
  -- The sealed result, which is deleted after an hour.
  result text,
  session_id text not null default '',
  date_start timestamptz not null default now(),
  date_end timestamptz,
  search_text text generated always as (lower(host || E'\n' || input || E'\n' || reason)) stored,
  unique (agent_id, request_key)
);
create index agent_call_agent on agent_call (agent_id, date_start desc);
create index agent_call_user on agent_call (user_id, date_start desc);
create index agent_call_result on agent_call (date_end) where (result is not null);
create index agent_call_search on agent_call using gin (search_text gin_trgm_ops);
