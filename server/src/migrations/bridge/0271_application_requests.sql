-- Users ask for databases and remote apps as well as for servers; each request is about one kind, and leads to a permission of that kind.
alter table ticket drop constraint ticket_type_check;
alter table ticket add constraint ticket_type_check check (type in ('general', 'login_confirm', 'request_asset', 'request_app', 'emergency'));

alter table ticket_asset_request
  add column target text not null default 'asset' check (target in ('asset', 'database_app', 'remote_app')),
  -- In the words of the requester.
  add column application text not null default '',
  add column is_read_only boolean not null default false,
  add column confirmed_apps uuid[] not null default '{}',
  add column database_permission_id uuid unique references database_app_permission (id) on delete set null,
  add column remote_permission_id uuid unique references remote_app_permission (id) on delete set null;

-- The tickets of requests by whose permissions a user may use an application, as a system user, at a moment.
create function app_requests_allowing(kind text, person uuid, app uuid, account uuid, moment timestamptz)
  returns table (ticket_id uuid) language plpgsql stable as $$
begin
  if kind = 'database_app' then
    return query select r.ticket_id from ticket_asset_request r join database_app_permission p on p.id = r.database_permission_id
    where p.is_active and p.date_start <= moment and p.date_expired > moment
      and exists (select 1 from database_app_permission_database_apps l where l.database_app_permission_id = p.id and l.database_app_id = app)
      and exists (select 1 from database_app_permission_system_users l where l.database_app_permission_id = p.id and l.system_user_id = account)
      and (exists (select 1 from database_app_permission_users l where l.database_app_permission_id = p.id and l.user_id = person)
        or exists (select 1 from database_app_permission_user_groups l join user_group_users m on m.user_group_id = l.user_group_id
          where l.database_app_permission_id = p.id and m.user_id = person));
  elsif kind = 'remote_app' then
    return query select r.ticket_id from ticket_asset_request r join remote_app_permission p on p.id = r.remote_permission_id
    where p.is_active and p.date_start <= moment and p.date_expired > moment
      and exists (select 1 from remote_app_permission_remote_apps l where l.remote_app_permission_id = p.id and l.remote_app_id = app)
      and exists (select 1 from remote_app_permission_system_users l where l.remote_app_permission_id = p.id and l.system_user_id = account)
      and (exists (select 1 from remote_app_permission_users l where l.remote_app_permission_id = p.id and l.user_id = person)
        or exists (select 1 from remote_app_permission_user_groups l join user_group_users m on m.user_group_id = l.user_group_id
          where l.remote_app_permission_id = p.id and m.user_id = person));
  end if;
end $$;

create or replace function session_uses_requests() returns trigger language plpgsql as $$
begin
  if new.target_kind <> 'asset' then
    insert into session_request (session_id, ticket_id)
    select distinct new.id, asked.ticket_id
    from app_requests_allowing(new.target_kind, uuid_or_null(new.user_id), uuid_or_null(new.asset_id), uuid_or_null(new.system_user_id), new.date_start) asked
    on conflict do nothing;
    return null;
  end if;
  -- Most users have asked for nothing.
  if not new.is_emergency and not exists (
    select 1 from ticket t join ticket_asset_request r on r.ticket_id = t.id
    where t.user_id = uuid_or_null(new.user_id) and r.permission_id is not null) then
    return null;
  end if;
  insert into session_request (session_id, ticket_id)
  select distinct new.id, asked.ticket_id
  from permissions_allowing(uuid_or_null(new.user_id), uuid_or_null(new.asset_id), uuid_or_null(new.system_user_id), new.date_start) allowing
    join (
      select r.permission_id, r.ticket_id from ticket_asset_request r
      union all
      select e.permission_id, e.ticket_id from emergency_activation e
    ) asked on asked.permission_id = allowing.permission_id
  on conflict do nothing;
  return null;
exception when foreign_key_violation then
  return null;
end $$;
