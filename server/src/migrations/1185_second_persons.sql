-- Permissions whose terminals pass input only while a reviewer watches.
alter table asset_permission add column needs_watcher boolean not null default false;
-- Other reviewers may watch from now on: sessions check theirs again.
create trigger grants_moved after insert or delete or update or truncate on asset_permission_approvers
  for each statement execute function grant_version_moved();

-- The beginning of the wait of a live session for a reviewer.
alter table session add column waits_since timestamptz;
create index session_waits on session (waits_since) where waits_since is not null;

-- Reviewers who watched a session as its second person, and the periods in which input waited.
create table session_presence (
  id bigint generated always as identity primary key,
  session_id uuid not null references session (id) on delete cascade,
  event text not null check (event in ('waits', 'joined', 'left', 'passes')),
  -- The reviewer; empty for other events.
  name text not null default '',
  date timestamptz not null
);
create index session_presence_session on session_presence (session_id, date, id);
