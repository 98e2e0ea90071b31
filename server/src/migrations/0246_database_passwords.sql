-- Short-lived passwords with which clients of databases sign in at our listeners: one for each user, database and system user. Only what proves a password is
-- kept. A password ends with the sign-in that made it.
create table database_password (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references account (id) on delete cascade,
  database_app_id uuid not null references database_app (id) on delete cascade,
  system_user_id uuid not null references system_account (id) on delete cascade,
  org_id text not null,
  login_id uuid not null,
  -- The name that clients sign in with.
  login text not null unique,
  verifier jsonb not null,
  language text not null,
  uses integer not null default 0,
  date_created timestamptz not null default now(),
  date_expired timestamptz not null,
  date_used timestamptz,
  unique (user_id, database_app_id, system_user_id)
);
create index database_password_expired on database_password (date_expired);
