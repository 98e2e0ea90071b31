-- Invitations into live web terminals. The secret of a link is not stored, only its SHA-256.
create table session_invitation (
  id uuid primary key default gen_random_uuid(),
  session uuid not null references session (id) on delete cascade,
  secret_digest bytea not null unique,
  may_type boolean not null,
  for_username text,
  guest_id uuid,
  guest text,
  remote_addr text,
  date_created timestamptz not null default now(),
  date_expired timestamptz,
  date_accepted timestamptz,
  date_joined timestamptz,
  date_left timestamptz,
  date_ended timestamptz,
  end_reason text
);
create index session_invitation_session on session_invitation (session);
create index session_invitation_open on session_invitation (date_expired) where date_ended is null;
-- Who typed a command, where guests of the session did.
alter table command add column typed_by text;
