-- Change control holds a target while any permission or rule of emergency access names it. An ended
-- permission counts: a change set that switches it on again shows the permission, not its targets.
-- A change set that waits counts as well, so that a target keeps the address that its approver saw.

-- Returns true if a waiting change set of an organization names one of the targets.
create function is_proposed(organization text, targets uuid[]) returns boolean
language sql stable as $$
  select exists (
    select 1 from change_set s, unnest(targets) as named (id)
    where s.org_id = organization
      and (s.state = 'proposed' and s.date_expires > now() or s.state = 'approved')
      and s.changes::text like '%"' || named.id || '"%')
$$;

-- Returns true if a permission names a database or a remote app, or a waiting change set does.
create or replace function is_app_granted(kind text, app uuid) returns boolean
language sql stable as $$
  select case kind
    when 'database_app' then exists (
        select 1 from database_app_permission_database_apps l where l.database_app_id = app)
      or is_proposed((select a.org_id from database_app a where a.id = app), array[app])
    when 'remote_app' then exists (
        select 1 from remote_app_permission_remote_apps l where l.remote_app_id = app)
      or is_proposed((select a.org_id from remote_app a where a.id = app), array[app])
    else false
  end
$$;

-- Returns true if a permission, a rule of emergency access or a waiting change set gives access to
-- an asset: by the asset, a node above it, or a remote app of it.
create or replace function is_asset_granted(asset uuid) returns boolean language sql stable as $$
  select exists (select 1 from asset_permission_assets l where l.asset_id = asset)
  or exists (select 1 from emergency_access_assets l where l.asset_id = asset)
  or exists (
    select 1 from asset_ancestor above where above.asset_id = asset and (
      exists (select 1 from asset_permission_nodes l where l.node_id = above.node_id)
      or exists (select 1 from emergency_access_nodes l where l.node_id = above.node_id)))
  or is_proposed((select a.org_id from asset a where a.id = asset), array(
    select asset union all select n.node_id from asset_ancestor n where n.asset_id = asset))
  or exists (
    select 1 from remote_app r where r.asset_id = asset and is_app_granted('remote_app', r.id))
$$;

-- A platform decides how a target proves itself: outdated algorithms, security of desktops. Its name
-- and comment are free; the default organization controls the rest for the whole installation.
create trigger change_control before update or delete on platform
  for each row execute function guard_row('{name,comment,search_text}', '{}');

-- Refuses another platform for a granted asset. A renamed platform takes its assets along.
create function guard_platform_of_asset() returns trigger language plpgsql as $$
begin
  if exists (select 1 from platform p where p.name = old.platform)
    and must_be_proposed(old.org_id, tg_op) and is_asset_granted(old.id) then
    perform refuse_change();
  end if;
  return new;
end $$;
create trigger change_control_of_platform before update on asset for each row
  when (old.platform is distinct from new.platform)
  execute function guard_platform_of_asset();
