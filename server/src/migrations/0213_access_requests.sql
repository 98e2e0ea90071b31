-- What users ask for, and what became of it.
create table ticket_asset_request (
  ticket_id uuid primary key references ticket (id) on delete cascade,
  org_id text not null,
  ips text[] not null default '{}',
  hostname text not null default '',
  -- In the words of the requester.
  "system_user" text not null default '',
  actions integer not null default 1,
  date_start timestamptz not null,
  date_expired timestamptz not null,
  confirmed_assets uuid[] not null default '{}',
  confirmed_system_user uuid[] not null default '{}',
  permission_id uuid unique references asset_permission (id) on delete set null,
  -- The requester was told of the end.
  date_reminded timestamptz,
  check (date_expired > date_start)
);
create index ticket_asset_request_organization on ticket_asset_request (org_id);

-- The requests by whose permissions a session was allowed when it began.
create table session_request (
  session_id uuid not null references session (id) on delete cascade,
  ticket_id uuid not null references ticket (id) on delete cascade,
  primary key (session_id, ticket_id)
);
create index session_request_ticket on session_request (ticket_id);

create function session_uses_requests() returns trigger language plpgsql as $$
begin
  -- Most users have asked for nothing.
  if not exists (
    select 1 from ticket t join ticket_asset_request r on r.ticket_id = t.id
    where t.user_id = uuid_or_null(new.user_id) and r.permission_id is not null) then
    return null;
  end if;
  insert into session_request (session_id, ticket_id)
  select distinct new.id, r.ticket_id
  from permissions_allowing(uuid_or_null(new.user_id), uuid_or_null(new.asset_id), uuid_or_null(new.system_user_id), new.date_start) allowing
    join ticket_asset_request r on r.permission_id = allowing.permission_id
  on conflict do nothing;
  return null;
exception when foreign_key_violation then
  return null;
end $$;
create trigger session_uses_requests after insert on session for each row execute function session_uses_requests();
