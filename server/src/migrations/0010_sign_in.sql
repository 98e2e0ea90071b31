-- Second factors, sign-ins that are not complete yet, links of forgotten passwords, access keys, and mail that waits to be sent.

-- Only digests of what a browser or a script carries are kept.
create table pending_sign_in (
  token_digest bytea primary key,
  user_id uuid not null references account (id) on delete cascade,
  kind text not null check (kind in ('browser', 'bearer')),
  first_factor text not null check (first_factor in ('password', 'passkey', 'external')),
  second_passed boolean not null default false,
  confirmed boolean not null default false,
  -- Of the password's hash at the first step: a password that was changed in between ends the sign-in.
  password_digest bytea not null,
  -- Chosen in place of an expired one; it becomes the account's only when the sign-in is complete.
  new_password text,
  next text not null default '/ui/',
  date_created timestamptz not null default now(),
  date_expired timestamptz not null
);
create index pending_sign_in_user on pending_sign_in (user_id);
create index pending_sign_in_expired on pending_sign_in (date_expired);

create table totp (
  user_id uuid primary key references account (id) on delete cascade,
  secret text not null,
  -- A code is taken once: only steps after this one are good.
  last_step bigint not null default 0,
  date_created timestamptz not null default now()
);

-- A secret that was shown and not yet confirmed by a code. The holder is the sign-in it was shown to.
create table totp_offer (
  holder text primary key,
  user_id uuid not null references account (id) on delete cascade,
  secret text not null,
  date_expired timestamptz not null
);
create index totp_offer_user on totp_offer (user_id);

create table recovery_code (
  user_id uuid not null references account (id) on delete cascade,
  digest bytea not null,
  primary key (user_id, digest)
);

create table passkey (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references account (id) on delete cascade,
  credential_id text not null unique,
  public_key bytea not null,
  counter bigint not null default 0,
  transports text[] not null default '{}',
  name text not null,
  synced boolean not null default false,
  date_created timestamptz not null default now(),
  date_last_used timestamptz
);
create index passkey_user on passkey (user_id, date_created);

create table passkey_challenge (
  challenge text primary key,
  holder text not null,
  user_id uuid references account (id) on delete cascade,
  date_expired timestamptz not null
);
create index passkey_challenge_expired on passkey_challenge (date_expired);
create index passkey_challenge_user on passkey_challenge (user_id);

create table password_reset (
  token_digest bytea primary key,
  user_id uuid not null references account (id) on delete cascade,
  password_digest bytea not null,
  date_created timestamptz not null default now(),
  date_expired timestamptz not null
);
create index password_reset_user on password_reset (user_id, date_created);

-- The secret is sealed and not digested: a signature can only be checked with the secret itself.
create table access_key (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references account (id) on delete cascade,
  secret text not null,
  is_active boolean not null default true,
  date_created timestamptz not null default now(),
  date_last_used timestamptz
);
create index access_key_user on access_key (user_id, date_created);

-- Links are made at the moment of sending, so nothing secret waits here.
create table mail_job (
  id uuid primary key default gen_random_uuid(),
  kind text not null,
  user_id uuid not null references account (id) on delete cascade,
  language text not null default 'zh',
  attempts integer not null default 0,
  date_next timestamptz not null default now(),
  date_created timestamptz not null default now()
);
create index mail_job_next on mail_job (date_next);
create index mail_job_user on mail_job (user_id, kind, date_created);

-- What is done once a day, by whichever server comes first.
create table daily_job (
  name text primary key,
  day date not null
);
