-- Programs register, ask a user for a leash, and renew their tokens (OAuth 2.1).
create table agent_client (
  id text primary key,
  name text not null,
  redirects text[] not null,
  -- The network that registered it, for quotas.
  place text not null,
  date_created timestamptz not null default now(),
  -- When the program last received a token; null before its first.
  date_used timestamptz,
  date_expired timestamptz not null
);
create index agent_client_place on agent_client (place, date_created);
create index agent_client_expired on agent_client (date_expired);

create table agent_consent (
  id uuid primary key default gen_random_uuid(),
  client_id text not null references agent_client (id) on delete cascade,
  redirect text not null,
  issuer text not null,
  -- Returned to the program unchanged; null if it sent none.
  state text,
  challenge text not null,
  remote_addr text not null,
  place text not null,
  is_denied boolean not null default false,
  -- Set once a user agreed: the agent, and the digest of the code for its first token.
  agent_id uuid references agent (id) on delete cascade,
  code_digest bytea unique,
  date_code_used timestamptz,
  date_created timestamptz not null default now(),
  date_expired timestamptz not null
);
create index agent_consent_place on agent_consent (place, date_created);
create index agent_consent_expired on agent_consent (date_expired);
create index agent_consent_client on agent_consent (client_id);
create index agent_consent_agent on agent_consent (agent_id);

create table agent_token (
  digest bytea primary key,
  agent_id uuid not null references agent (id) on delete cascade,
  client_id text not null,
  kind text not null check (kind in ('access', 'refresh')),
  -- Set once a refresh token was exchanged. A second exchange ends the agent.
  date_used timestamptz,
  date_expired timestamptz not null
);
create index agent_token_agent on agent_token (agent_id);
create index agent_token_expired on agent_token (date_expired);

-- The consent for which an agent was created; blank for one whose token its owner received.
alter table agent add column request text not null default '';
