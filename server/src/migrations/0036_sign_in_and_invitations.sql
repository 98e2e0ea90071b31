-- People can sign in over SSH, and with the public key of their profile.
alter table web_session drop constraint web_session_kind_check;
alter table web_session add constraint web_session_kind_check check (kind in ('browser', 'bearer', 'ssh'));
alter table pending_sign_in drop constraint pending_sign_in_kind_check;
alter table pending_sign_in add constraint pending_sign_in_kind_check check (kind in ('browser', 'bearer', 'ssh'));
alter table pending_sign_in drop constraint pending_sign_in_first_factor_check;
alter table pending_sign_in add constraint pending_sign_in_first_factor_check check (first_factor in ('password', 'passkey', 'external', 'publickey'));

-- Over HTTPS the session cookie has a name that other sites of the domain cannot set. Sign-ins of before keep the old name until they end.
alter table web_session add column plain_cookie boolean not null default false;
update web_session set plain_cookie = true;

-- Signatures of requests that change something and cover their body: each is good once.
create table seen_signature (
  digest bytea primary key,
  date_expired timestamptz not null
);
create index seen_signature_expired on seen_signature (date_expired);

-- An organization that wants somebody asks; the person accepts or declines.
create table organization_invitation (
  id uuid primary key default gen_random_uuid(),
  organization_id uuid not null references organization (id) on delete cascade,
  user_id uuid not null references account (id) on delete cascade,
  -- What the inviter typed. More about the person is not shown before they accept.
  account text not null,
  invited_by text not null,
  date_created timestamptz not null default now(),
  date_expired timestamptz not null,
  unique (organization_id, user_id)
);
create index organization_invitation_user on organization_invitation (user_id);
create index organization_invitation_expired on organization_invitation (date_expired);

-- Since when somebody belongs to an organization: its people see nothing of before. Existing members keep what was visible.
alter table organization_member add column date_joined timestamptz not null default now();
update organization_member set date_joined = '-infinity';
