-- Change control covers the targets of permissions, and what a connection to them uses. A permission
-- names an asset; its address decides which server the user reaches.

-- Returns true if a valid permission names a database or a remote app.
create function is_app_granted(kind text, app uuid) returns boolean language sql stable as $$
  select case kind
    when 'database_app' then exists (
      select 1 from database_app_permission_database_apps l
        join database_app_permission p on p.id = l.database_app_permission_id
      where l.database_app_id = app and p.is_active and p.date_expired > now())
    when 'remote_app' then exists (
      select 1 from remote_app_permission_remote_apps l
        join remote_app_permission p on p.id = l.remote_app_permission_id
      where l.remote_app_id = app and p.is_active and p.date_expired > now())
    else false
  end
$$;

-- Returns true if a valid permission or an active rule of emergency access gives access to an asset.
create function is_asset_granted(asset uuid) returns boolean language sql stable as $$
  select exists (
    select 1 from asset_permission p where p.is_active and p.date_expired > now() and p.id in (
      select l.asset_permission_id from asset_permission_assets l where l.asset_id = asset
      union all
      select l.asset_permission_id from asset_ancestor above
        join asset_permission_nodes l on l.node_id = above.node_id where above.asset_id = asset))
  or exists (
    select 1 from emergency_access e where e.is_active and e.id in (
      select l.emergency_access_id from emergency_access_assets l where l.asset_id = asset
      union all
      select l.emergency_access_id from asset_ancestor above
        join emergency_access_nodes l on l.node_id = above.node_id where above.asset_id = asset))
  or exists (
    select 1 from remote_app r where r.asset_id = asset and is_app_granted('remote_app', r.id))
$$;

-- Locks the control of an organization against decisions, so that a new permission and a change of
-- its target cannot pass each other. Returns true if the change needs a change set.
create function must_be_proposed(organization text, operation text) returns boolean
language plpgsql as $$
begin
  perform 1 from change_control where org_id = organization for share;
  return found and not change_is_decided(organization, null, operation);
end $$;

create function refuse_change() returns void language plpgsql as $$
begin
  raise exception using errcode = 'SP001', message = 'the organization controls this change';
end $$;

-- Refuses to change the named columns of a granted asset, database or remote app. A rotation of keys
-- seals the password of a remote app again.
create function guard_target() returns trigger language plpgsql as $$
declare
  before jsonb := to_jsonb(old);
  after jsonb := to_jsonb(new);
  is_changed boolean := false;
begin
  if not exists (select 1 from change_control where org_id in (old.org_id, new.org_id)) then
    return new;
  end if;
  for i in 0 .. tg_nargs - 1 loop
    is_changed := is_changed or (before -> tg_argv[i] is distinct from after -> tg_argv[i]
      and not (tg_argv[i] = 'password' and is_resealing()));
  end loop;
  -- The lock comes first: the next statement sees a permission that was decided meanwhile.
  if is_changed
    and (must_be_proposed(old.org_id, tg_op) or must_be_proposed(new.org_id, tg_op))
    and (tg_table_name = 'asset' and is_asset_granted(old.id)
      or is_app_granted(tg_table_name, old.id)) then
    perform refuse_change();
  end if;
  return new;
end $$;
create trigger change_control before update on asset for each row
  execute function guard_target('org_id', 'ip', 'protocols', 'domain_id', 'admin_user_id');
create trigger change_control before update on database_app for each row
  execute function guard_target('org_id', 'type', 'host', 'port', 'database', 'domain_id', 'tls',
    'ca_certificate');
create trigger change_control before update on remote_app for each row
  execute function guard_target('org_id', 'asset_id', 'type', 'path', 'params', 'password');

-- Refuses a secret that a user sets for one account of a granted asset. Pushes and password plans
-- store theirs: the system user and the plan are controlled themselves.
create function guard_asset_secret() returns trigger language plpgsql as $$
declare
  served text[] := '{is_latest,comment,date_updated,version}';
begin
  if is_resealing() then served := served || '{password,private_key}'::text[]; end if;
  if tg_op = 'UPDATE' and to_jsonb(old) - served = to_jsonb(new) - served
    or tg_op = 'INSERT' and new.origin <> 'user' then
    return new;
  end if;
  if must_be_proposed(new.org_id, tg_op) and is_asset_granted(new.asset_id) then
    perform refuse_change();
  end if;
  return new;
end $$;
create trigger change_control before insert or update on asset_user for each row
  execute function guard_asset_secret();

-- Refuses to replace or forget the host key of a granted asset or of a gateway. The first key of an
-- address is pinned by its first connection.
create function guard_host_key() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and (old.asset_id, old.gateway_id, old.host, old.port, old.public_key)
    is not distinct from (new.asset_id, new.gateway_id, new.host, new.port, new.public_key) then
    return new;
  end if;
  -- The keys of a deleted asset or gateway follow it.
  if (exists (select 1 from asset a where a.id = old.asset_id)
      or exists (select 1 from gateway g where g.id = old.gateway_id))
    and must_be_proposed(old.org_id, tg_op)
    and (old.gateway_id is not null or is_asset_granted(old.asset_id)) then
    perform refuse_change();
  end if;
  return case when tg_op = 'DELETE' then old else new end;
end $$;
create trigger change_control before update or delete on host_key for each row
  execute function guard_host_key();

-- Refuses writes of whole rows. The arguments are the columns that the server itself writes, and the
-- sealed ones. Rows without an organization belong to the installation: the default organization.
create function guard_row() returns trigger language plpgsql as $$
declare
  before jsonb := case when tg_op <> 'INSERT' then to_jsonb(old) end;
  after jsonb := case when tg_op <> 'DELETE' then to_jsonb(new) end;
  served text[] := tg_argv[0]::text[]
    || case when is_resealing() then tg_argv[1]::text[] else '{}'::text[] end;
begin
  if before - served is distinct from after - served
    and (before is not null and not change_is_decided(coalesce(before ->> 'org_id', ''), null, tg_op)
      or after is not null and not change_is_decided(coalesce(after ->> 'org_id', ''), null, tg_op))
  then
    perform refuse_change();
  end if;
  return case when tg_op = 'DELETE' then old else new end;
end $$;
create trigger change_control before insert or update or delete on domain
  for each row execute function guard_row('{search_text,pinyin}', '{}');
create trigger change_control before insert or update or delete on gateway
  for each row execute function guard_row('{date_updated,search_text}', '{password,private_key}');
create trigger change_control before insert or update or delete on admin_user
  for each row execute function guard_row(
    '{date_updated,date_secret_changed,previous_secrets,search_text}', '{password,private_key}');
create trigger change_control before insert or update or delete on ssh_authority
  for each row execute function guard_row('{search_text}', '{private_key}');
create trigger change_control before insert or update or delete on change_auth_plan
  for each row execute function guard_row('{date_last_run,date_updated,search_text}',
    '{password,private_key}');
create trigger change_control before insert or update or delete on change_auth_plan_assets
  for each row execute function guard_change('change_auth_plan', 'change_auth_plan_id', 'asset', 'asset_id');
create trigger change_control before insert or update or delete on change_auth_plan_nodes
  for each row execute function guard_change('change_auth_plan', 'change_auth_plan_id', 'node', 'node_id');

-- Storages and receivers get the recordings, commands and events of all organizations, and a token
-- of SCIM makes accounts. The default organization controls them.
create trigger change_control before insert or update or delete on replay_storage
  for each row execute function guard_row('{search_text}', '{access_key,secret_key,account_key}');
create trigger change_control before insert or update or delete on command_storage
  for each row execute function guard_row('{problem,search_text}', '{password}');
create trigger change_control before insert or update or delete on event_receiver
  for each row execute function guard_row('{search_text}', '{secret}');

-- Refuses links of an event receiver. Those of a deleted receiver or organization follow it.
create function guard_receiver_organization() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and not (
    exists (select 1 from event_receiver r where r.id = old.event_receiver_id)
    and exists (select 1 from organization o where o.id = old.organization_id))
    or change_is_decided('', null, tg_op) then
    return case when tg_op = 'DELETE' then old else new end;
  end if;
  perform refuse_change();
end $$;
create trigger change_control before insert or update or delete on event_receiver_organizations
  for each row execute function guard_receiver_organization();

-- Refuses another storage for a server. A server that registers starts with the first ones.
create function guard_terminal() returns trigger language plpgsql as $$
begin
  if (old.replay_storage, old.command_storage)
      is distinct from (new.replay_storage, new.command_storage)
    -- A renamed storage takes its servers along.
    and exists (select 1 from replay_storage s where s.name = old.replay_storage)
    and exists (select 1 from command_storage s where s.name = old.command_storage)
    and not change_is_decided('', null, tg_op) then
    perform refuse_change();
  end if;
  return new;
end $$;
create trigger change_control before update of replay_storage, command_storage on terminal
  for each row execute function guard_terminal();

-- Refuses new tokens of SCIM.
create function guard_scim_token() returns trigger language plpgsql as $$
begin
  -- The token of a running test has no creator and ends with it.
  if new.created_by <> '' and not change_is_decided('', null, tg_op) then
    perform refuse_change();
  end if;
  return new;
end $$;
create trigger change_control before insert on scim_token
  for each row execute function guard_scim_token();
