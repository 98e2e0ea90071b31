-- When each permission was last used, by whom and where: without reading every session again. A row says that a user began a session that the
-- permission allowed, by an asset that the permission names (asset_id) or by a node of it (node_id).
create table permission_use (
  permission_id uuid not null references asset_permission (id) on delete cascade,
  user_id uuid not null references account (id) on delete cascade,
  asset_id uuid references asset (id) on delete cascade,
  node_id uuid references node (id) on delete cascade,
  last_used timestamptz not null,
  check ((asset_id is null) <> (node_id is null)),
  unique nulls not distinct (permission_id, user_id, asset_id, node_id)
);
create index permission_use_permission on permission_use (permission_id, last_used);
create index permission_use_user on permission_use (user_id, permission_id, last_used);
create index permission_use_asset on permission_use (asset_id, permission_id, last_used) where asset_id is not null;
create index permission_use_node on permission_use (node_id, permission_id, last_used) where node_id is not null;

-- When a permission began to name something. What is older than this column counts from the beginning of its permission.
alter table asset_permission_users add column date_added timestamptz not null default '-infinity';
alter table asset_permission_users alter column date_added set default now();
alter table asset_permission_user_groups add column date_added timestamptz not null default '-infinity';
alter table asset_permission_user_groups alter column date_added set default now();
alter table asset_permission_assets add column date_added timestamptz not null default '-infinity';
alter table asset_permission_assets alter column date_added set default now();
alter table asset_permission_nodes add column date_added timestamptz not null default '-infinity';
alter table asset_permission_nodes alter column date_added set default now();

-- The permissions that allow a user an asset with a system user at a moment, each with the asset or the nodes by which it reaches it.
create function permissions_allowing(person uuid, target uuid, account uuid, moment timestamptz)
  returns table (permission_id uuid, asset_id uuid, node_id uuid) language sql stable as $$
  select p.id, place.asset_id, place.node_id
  from (
    select link.asset_permission_id as id from asset_permission_users link where link.user_id = person
    union
    select link.asset_permission_id from user_group_users member
      join asset_permission_user_groups link on link.user_group_id = member.user_group_id where member.user_id = person
  ) named
    join asset_permission p on p.id = named.id and p.is_active and p.date_start <= moment and p.date_expired > moment
    join asset_permission_system_users used on used.asset_permission_id = p.id and used.system_user_id = account
    join lateral (
      select link.asset_id, null::uuid as node_id from asset_permission_assets link where link.asset_permission_id = p.id and link.asset_id = target
      union all
      select null::uuid, link.node_id from asset_permission_nodes link
        join asset_ancestor above on above.node_id = link.node_id and above.asset_id = target where link.asset_permission_id = p.id
    ) place on true
$$;

-- Sessions keep the ids of objects that may be gone, as text.
create function uuid_or_null(value text) returns uuid language sql immutable as $$
  select case when value ~ '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$' then value::uuid end
$$;

create function session_uses_permissions() returns trigger language plpgsql as $$
begin
  insert into permission_use (permission_id, user_id, asset_id, node_id, last_used)
  select allowing.permission_id, u.id, allowing.asset_id, allowing.node_id, new.date_start
  from account u, permissions_allowing(u.id, uuid_or_null(new.asset_id), uuid_or_null(new.system_user_id), new.date_start) allowing
  where u.id = uuid_or_null(new.user_id)
  -- Always in the same order: two sessions that begin together must not wait for each other.
  order by 1, 3, 4
  on conflict (permission_id, user_id, asset_id, node_id) do update set last_used = greatest(permission_use.last_used, excluded.last_used);
  return null;
exception when foreign_key_violation then
  -- Something that belongs to it is deleted at this moment. The use of what is gone interests nobody, and the session is written.
  return null;
end $$;
create trigger session_uses_permissions after insert on session for each row execute function session_uses_permissions();

-- The sessions until now, by the permissions as they are now.
insert into permission_use (permission_id, user_id, asset_id, node_id, last_used)
select allowing.permission_id, u.id, allowing.asset_id, allowing.node_id, max(s.date_start)
from session s join account u on u.id = uuid_or_null(s.user_id)
  cross join lateral permissions_allowing(u.id, uuid_or_null(s.asset_id), uuid_or_null(s.system_user_id), s.date_start) allowing
group by 1, 2, 3, 4;
