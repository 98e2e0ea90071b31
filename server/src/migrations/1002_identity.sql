-- The default organization has no row: its objects carry org_id ''.
create table organization (
  id uuid primary key default gen_random_uuid(),
  name text not null unique check (name <> '' and upper(name) <> 'DEFAULT'),
  comment text not null default '',
  created_by text not null default '',
  date_created timestamptz not null default now(),
  search_text text generated always as (lower(name || E'\n' || comment)) stored
);
create index organization_search on organization using gin (search_text gin_trgm_ops);

create table account (
  id uuid primary key default gen_random_uuid(),
  name text not null,
  username text not null unique,
  password text,
  email text not null unique,
  public_key text,
  wechat text not null default '',
  phone text,
  mfa_level integer not null default 0 check (mfa_level in (0, 1, 2)),
  comment text,
  source text not null default 'local',
  is_active boolean not null default true,
  created_by text not null default '',
  is_first_login boolean not null default true,
  date_password_last_updated timestamptz,
  date_expired timestamptz,
  date_joined timestamptz not null default now(),
  last_login timestamptz,
  role text not null default 'User' check (role in ('Admin', 'User', 'Auditor')),
  preferences jsonb not null default '{}',
  search_text text generated always as (lower(username || E'\n' || name || E'\n' || email)) stored,
  -- Organization whose administrators may change the account. Null: the default organization.
  home_organization_id uuid references organization (id) on delete set null,
  pinyin text,
  -- True while the password is the one printed by the first start. Any new password resets it.
  password_generated boolean not null default false,
  -- True while another user chose the password. Any new password resets it; the writer sets it
  -- afterwards.
  password_assigned boolean not null default false
);
create index account_search on account using gin (search_text gin_trgm_ops);
create index account_name on account (name, id);
create index account_home_organization on account (home_organization_id)
  where (home_organization_id is not null);
-- Mail addresses are compared without case.
create index account_email on account (lower(email));
create index account_pinyin on account using gin (pinyin gin_trgm_ops) where (pinyin is not null);

create table user_group (
  id uuid primary key default gen_random_uuid(),
  org_id text not null default '',
  name text not null,
  comment text not null default '',
  created_by text not null default '',
  date_created timestamptz not null default now(),
  search_text text generated always as (lower(name)) stored,
  pinyin text,
  unique (org_id, name)
);
create index user_group_search on user_group using gin (search_text gin_trgm_ops);
create index user_group_pinyin on user_group using gin (pinyin gin_trgm_ops)
  where (pinyin is not null);

create table user_group_users (
  user_group_id uuid references user_group (id) on delete cascade,
  user_id uuid references account (id) on delete cascade,
  -- Clients address a membership by this number.
  id bigint unique generated always as identity,
  primary key (user_group_id, user_id)
);
create index user_group_users_user on user_group_users (user_id, user_group_id);

-- Sign-ins. Only digests of the secrets of browsers and scripts are kept.
create table web_session (
  token_digest bytea primary key,
  id uuid not null unique default gen_random_uuid(),
  user_id uuid not null references account (id) on delete cascade,
  kind text not null check (kind in ('browser', 'bearer', 'ssh')),
  remote_addr text not null,
  user_agent text not null default '',
  date_created timestamptz not null default now(),
  date_used timestamptz not null default now(),
  date_expired timestamptz not null,
  mfa_verified timestamptz,
  -- True if the session cookie has the older name, which other sites of the domain can set. New
  -- sign-ins over HTTPS use a protected name.
  plain_cookie boolean not null default false,
  -- Server that holds the SSH connection of the sign-in; null for others. A starting server ends
  -- those from before its crash.
  holder text,
  -- Sign-in at the identity provider, for sign-out by the provider.
  origin jsonb
);
create index web_session_user on web_session (user_id);
create index web_session_expired on web_session (date_expired);
create index web_session_origin on web_session using gin (origin jsonb_path_ops)
  where (origin is not null);

create table login_attempt (
  username text,
  remote_addr text,
  failures integer not null,
  date_last timestamptz not null default now(),
  primary key (username, remote_addr)
);
create index login_attempt_address on login_attempt (remote_addr, date_last);

-- Incomplete sign-ins. Only digests of the secrets of browsers and scripts are kept.
create table pending_sign_in (
  token_digest bytea primary key,
  user_id uuid not null references account (id) on delete cascade,
  kind text not null check (kind in ('browser', 'bearer', 'ssh')),
  first_factor text not null
    check (first_factor in ('password', 'passkey', 'external', 'publickey')),
  second_passed boolean not null default false,
  confirmed boolean not null default false,
  -- Digest of the password hash at the first step: a changed password ends the sign-in.
  password_digest bytea not null,
  -- New password in place of an expired one; stored in the account when the sign-in completes.
  new_password text,
  next text not null default '/ui/',
  date_created timestamptz not null default now(),
  date_expired timestamptz not null,
  -- Shown to reviewers. An approval is valid for this attempt and this address.
  remote_addr text not null default '',
  confirm_ticket uuid unique,
  origin jsonb,
  -- Time at which the page of a waiting sign-in disappeared. The sign-in ends unless the page
  -- returns within seconds.
  date_left timestamptz
);
create index pending_sign_in_user on pending_sign_in (user_id);
create index pending_sign_in_expired on pending_sign_in (date_expired);
create index pending_sign_in_origin on pending_sign_in using gin (origin jsonb_path_ops)
  where (origin is not null);

-- Challenges of a password source, such as RADIUS, until the user answers. The answer deletes the
-- row.
create table password_challenge (
  token_digest bytea primary key,
  source text not null,
  username text not null,
  -- Server of the password source, and the state that it expects back.
  server text not null,
  state bytea,
  message text not null,
  rounds integer not null,
  next text not null,
  remote_addr text not null,
  date_expired timestamptz not null
);
create index password_challenge_expired on password_challenge (date_expired);

create table totp (
  user_id uuid primary key references account (id) on delete cascade,
  secret text not null,
  -- Each code is valid once: only later time steps are accepted.
  last_step bigint not null default 0,
  date_created timestamptz not null default now()
);

-- A secret that was shown and is not confirmed by a code yet. Holder: the sign-in that received it.
create table totp_offer (
  holder text primary key,
  user_id uuid not null references account (id) on delete cascade,
  secret text not null,
  date_expired timestamptz not null
);
create index totp_offer_user on totp_offer (user_id);

create table recovery_code (
  user_id uuid references account (id) on delete cascade,
  digest bytea,
  primary key (user_id, digest)
);

create table passkey (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references account (id) on delete cascade,
  credential_id text not null unique,
  public_key bytea not null,
  counter bigint not null default 0,
  transports text[] not null default '{}'::text[],
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

-- The secret is sealed, not hashed: signatures can only be checked with the secret.
create table access_key (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references account (id) on delete cascade,
  secret text not null,
  is_active boolean not null default true,
  date_created timestamptz not null default now(),
  date_last_used timestamptz,
  -- Purpose of the key, its end, and the address of its last use.
  name text not null default '',
  date_expired timestamptz,
  remote_addr text not null default '',
  -- Keys are found by a part of their id. The secret is sealed and shown once, so it cannot be
  -- searched.
  search_text text generated always as (((id)::text || ' ') || lower(name)) stored
);
create index access_key_user on access_key (user_id, date_created);

-- Remaining sign-in attempts per address, for all servers together. Unlogged: worthless after a
-- crash.
create unlogged table sign_in_rate (
  place text primary key,
  "left" double precision not null,
  date_counted timestamptz not null default now()
);

-- Networks (an IPv4 address, an IPv6 /64) from which an account signed in. They keep an own budget
-- of wrong passwords when guesses from elsewhere have used up that of the account.
create table known_place (
  user_id uuid references account (id) on delete cascade,
  place text,
  date_used timestamptz not null default now(),
  primary key (user_id, place)
);
create index known_place_place on known_place (place);
create index known_place_used on known_place (date_used);

-- Signatures of changing requests, each valid once.
create table seen_signature (
  digest bytea primary key,
  date_expired timestamptz not null
);
create index seen_signature_expired on seen_signature (date_expired);

create table organization_member (
  organization_id uuid references organization (id) on delete cascade,
  user_id uuid references account (id) on delete cascade,
  role text check (role in ('Admin', 'Auditor', 'User')),
  -- Membership with one of three roles. Each role is a view, so a change of one leaves the others
  -- alone.
  id bigint unique generated always as identity,
  -- Start of the membership: administrators of the organization see nothing of the user from
  -- before.
  date_joined timestamptz not null default now(),
  primary key (organization_id, user_id, role)
);
create index organization_member_user on organization_member (user_id);

-- Invitations of an organization, which the user accepts or declines.
create table organization_invitation (
  id uuid primary key default gen_random_uuid(),
  organization_id uuid not null references organization (id) on delete cascade,
  user_id uuid not null references account (id) on delete cascade,
  -- Text that the inviter typed. Nothing else about the user is shown before the user accepts.
  account text not null,
  invited_by text not null,
  date_created timestamptz not null default now(),
  date_expired timestamptz not null,
  unique (organization_id, user_id)
);
create index organization_invitation_user on organization_invitation (user_id);
create index organization_invitation_expired on organization_invitation (date_expired);

-- Identity of an account at an identity provider. The subject never changes; names and addresses
-- may.
create table external_identity (
  issuer text,
  subject text,
  user_id uuid not null references account (id) on delete cascade,
  date_created timestamptz not null default now(),
  date_used timestamptz not null default now(),
  -- Kind of provider. The same address may answer as two kinds, with different users of the same
  -- name.
  source text,
  primary key (source, issuer, subject),
  unique (user_id, source, issuer)
);

-- Verified answers of providers that wait for their browser; the content is sealed.
create table provider_answer (
  handle bytea primary key,
  proved text not null,
  date_expired timestamptz not null
);
create index provider_answer_expired on provider_answer (date_expired);

-- Messages of providers that must not be accepted twice, by any server.
create table seen_message (
  digest bytea primary key,
  date_expired timestamptz not null
);
create index seen_message_expired on seen_message (date_expired);

-- Last result of reading the LDAP directory, so that pages of the import do not query it again.
create table ldap_person (
  dn text primary key,
  username text not null,
  name text not null default '',
  email text not null default '',
  fields jsonb not null,
  search_text text generated always as (lower(username || E'\n' || name || E'\n' || email)) stored
);
create index ldap_person_username on ldap_person (lower(username));
create index ldap_person_search on ldap_person using gin (search_text gin_trgm_ops);

-- Tokens of identity providers that manage accounts by SCIM; only the digest is stored.
create table scim_token (
  id uuid primary key default gen_random_uuid(),
  name text not null unique,
  digest bytea not null unique,
  -- Sign-in source of the accounts that the token manages.
  source text not null check (source in ('openid', 'saml', 'cas', 'radius')),
  created_by text not null default '',
  date_created timestamptz not null default now(),
  date_expired timestamptz not null,
  date_last_used timestamptz,
  last_addr text not null default ''
);

-- SCIM attributes that accounts do not have. A user that the provider deleted is disabled and
-- hidden from it.
create table scim_user (
  user_id uuid primary key references account (id) on delete cascade,
  external_id text,
  profile jsonb not null default '{}',
  is_deleted boolean not null default false,
  date_changed timestamptz not null default now()
);

-- Groups that a provider manages. It sees no other groups.
create table scim_group (
  group_id uuid primary key references user_group (id) on delete cascade,
  source text not null,
  external_id text,
  date_changed timestamptz not null default now()
);

alter table job add foreign key (user_id) references account (id) on delete set null;

alter table resource_set add foreign key (user_id) references account (id) on delete cascade;

alter table imported_rows add foreign key (user_id) references account (id) on delete cascade;

alter table search_use add foreign key (user_id) references account (id) on delete cascade;

-- Users who lose their last role in an organization also leave these permissions.
create function organization_member_left() returns trigger language plpgsql as $$
begin
  delete from user_group_users link using gone, user_group owner
    where owner.id = link.user_group_id and owner.org_id = gone.organization_id::text and link.user_id = gone.user_id
      and not exists (select 1 from organization_member still where still.organization_id = gone.organization_id and still.user_id = gone.user_id);
  delete from asset_permission_users link using gone, asset_permission owner
    where owner.id = link.asset_permission_id and owner.org_id = gone.organization_id::text and link.user_id = gone.user_id
      and not exists (select 1 from organization_member still where still.organization_id = gone.organization_id and still.user_id = gone.user_id);
  delete from remote_app_permission_users link using gone, remote_app_permission owner
    where owner.id = link.remote_app_permission_id and owner.org_id = gone.organization_id::text and link.user_id = gone.user_id
      and not exists (select 1 from organization_member still where still.organization_id = gone.organization_id and still.user_id = gone.user_id);
  delete from database_app_permission_users link using gone, database_app_permission owner
    where owner.id = link.database_app_permission_id and owner.org_id = gone.organization_id::text and link.user_id = gone.user_id
      and not exists (select 1 from organization_member still where still.organization_id = gone.organization_id and still.user_id = gone.user_id);
  return null;
end $$;
create trigger organization_member_deleted after delete on organization_member
  referencing old table as gone for each statement execute function organization_member_left();

create function password_chosen() returns trigger language plpgsql as $$
begin
  if new.password is distinct from old.password then
    new.password_generated := false;
    new.password_assigned := false;
  end if;
  return new;
end $$;
create trigger password_chosen before update of password on account for each row
  execute function password_chosen();

create function push_of_group_users() returns trigger language plpgsql as $$
begin
  insert into system_user_push_wanted (system_user_id, username)
  select distinct s.id, u.username from changed join account u on u.id = changed.user_id
    join asset_permission_user_groups rule on rule.user_group_id = changed.user_group_id
    join asset_permission_system_users link on link.asset_permission_id = rule.asset_permission_id
    join system_account s on s.id = link.system_user_id where pushes_itself(s) and s.username_same_with_user order by 1, 2
  on conflict (system_user_id, asset_id, node_id, username) do update set is_queued = false;
  return null;
end $$;
create trigger pushes after insert on user_group_users referencing new table as changed
  for each statement execute function push_of_group_users();

create view organization_users as
  select organization_id, user_id, role, id from organization_member where role = 'User'
  with check option;

create view organization_admins as
  select organization_id, user_id, role, id from organization_member where role = 'Admin'
  with check option;

create view organization_auditors as
  select organization_id, user_id, role, id from organization_member where role = 'Auditor'
  with check option;
alter view organization_users alter column role set default 'User';
alter view organization_admins alter column role set default 'Admin';
alter view organization_auditors alter column role set default 'Auditor';
