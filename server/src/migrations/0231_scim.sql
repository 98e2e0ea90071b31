-- Tokens by which an identity provider keeps accounts here; only the digest is stored.
create table scim_token (
  id uuid primary key default gen_random_uuid(),
  name text not null unique,
  digest bytea not null unique,
  -- How the people of this provider sign in: the token reaches their accounts and no others.
  source text not null check (source in ('openid', 'saml', 'cas', 'radius')),
  created_by text not null default '',
  date_created timestamptz not null default now(),
  date_expired timestamptz not null,
  date_last_used timestamptz,
  last_addr text not null default ''
);

-- What a provider says of an account beyond what accounts have. One that it deleted is disabled, and is not there for it any more.
create table scim_user (
  user_id uuid primary key references account (id) on delete cascade,
  external_id text,
  profile jsonb not null default '{}',
  is_deleted boolean not null default false,
  date_changed timestamptz not null default now()
);

-- Groups that a provider made; it sees and changes no others.
create table scim_group (
  group_id uuid primary key references user_group (id) on delete cascade,
  source text not null,
  external_id text,
  date_changed timestamptz not null default now()
);
