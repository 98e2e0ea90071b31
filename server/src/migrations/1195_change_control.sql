-- Organizations whose permissions, conditions, command filters and emergency access change only by
-- change sets. Switching it off is a change as well.
create table change_control (
  org_id text primary key,
  -- The user who switched it on; the name stays readable when the account is deleted.
  user_id uuid not null,
  user_name text not null,
  date_started timestamptz not null default now()
);

-- Proposed changes with their decision.
create table change_set (
  id uuid primary key default gen_random_uuid(),
  org_id text not null,
  reason text not null,
  -- Writes of the engine in order, with the objects before and after.
  changes jsonb not null,
  turns_off boolean not null default false,
  -- Access that users gain and lose by each change.
  consequences jsonb not null default '[]',
  state text not null default 'proposed'
    check (state in ('previewing', 'proposed', 'applying', 'applied', 'rejected', 'withdrawn')),
  proposer_id uuid not null,
  proposer_name text not null,
  decider_id uuid,
  decider_name text not null default '',
  decision_comment text not null default '',
  date_created timestamptz not null default now(),
  date_expires timestamptz not null,
  date_decided timestamptz,
  constraint change_set_second_administrator check (
    state not in ('applying', 'applied') or decider_id is distinct from proposer_id),
  constraint change_set_decided check (
    state not in ('applying', 'applied', 'rejected') or decider_id is not null)
);
create index change_set_list on change_set (org_id, date_created desc, id);

-- A proposal is immutable, and a decision is final.
create function change_set_fixed() returns trigger language plpgsql as $$
begin
  if old.state = 'previewing' and new.state = 'proposed' then
    return new;
  end if;
  if (old.org_id, old.reason, old.changes, old.turns_off, old.proposer_id)
      is distinct from (new.org_id, new.reason, new.changes, new.turns_off, new.proposer_id)
    or old.state in ('applied', 'rejected', 'withdrawn')
    or (old.state = 'applying' and new.state <> 'applied')
    or (new.state = 'applied' and old.state <> 'applying') then
    raise exception 'a decided change set was changed';
  end if;
  return new;
end $$;
create trigger fixed before update on change_set for each row execute function change_set_fixed();

-- `previewing` and `applying` open the guard below, so no transaction may commit them.
create function change_set_finished() returns trigger language plpgsql as $$
begin
  if exists (select 1 from change_set where id = new.id and state in ('previewing', 'applying')) then
    raise exception 'a change set was left open';
  end if;
  return null;
end $$;
create constraint trigger finished after insert or update on change_set
  deferrable initially deferred for each row execute function change_set_finished();

-- Returns true if the transaction may write a row of an organization: nothing controls it, the
-- transaction applies a decided change set, or it opens or ends temporary access by its ticket.
create function change_is_decided(organization text, permission uuid, operation text)
returns boolean language plpgsql as $$
declare
  change text := current_setting('sallyport.change_set', true);
  ticket text := current_setting('sallyport.ticket', true);
begin
  if not exists (select 1 from change_control where org_id = organization) then
    return true;
  end if;
  if exists (select 1 from change_set s where s.id = nullif(change, '')::uuid
      and s.org_id = organization and s.state in ('previewing', 'applying')) then
    return true;
  end if;
  if coalesce(ticket, '') = '' or permission is null then
    return false;
  end if;
  -- A ticket of emergency access creates one permission. Its rule is controlled itself.
  if operation = 'INSERT' then
    return exists (select 1 from ticket t where t.id = ticket::uuid and t.type = 'emergency'
        and t.status = 'open')
      and not exists (select 1 from emergency_activation a where a.ticket_id = ticket::uuid);
  end if;
  return operation = 'UPDATE' and (
    exists (select 1 from emergency_activation a
      where a.ticket_id = ticket::uuid and a.permission_id = permission)
    or exists (select 1 from ticket_asset_request r where r.ticket_id = ticket::uuid
      and permission in (r.permission_id, r.database_permission_id, r.remote_permission_id)));
end $$;

-- Refuses a write without a decided change set. For link tables the arguments are the table and
-- column of the owner, and those of the other side.
create function guard_change() returns trigger language plpgsql as $$
declare
  sides jsonb[] := '{}';
  side jsonb;
  owner_table text := coalesce(tg_argv[0], tg_table_name);
  owner_id uuid;
  organization text;
  is_permission boolean := owner_table in
    ('asset_permission', 'remote_app_permission', 'database_app_permission');
  other_exists boolean;
begin
  if exists (select 1 from change_control) then
    if tg_op <> 'INSERT' then sides := sides || to_jsonb(old); end if;
    if tg_op <> 'DELETE' then sides := sides || to_jsonb(new); end if;
  end if;
  foreach side in array sides loop
    if tg_nargs = 0 then
      organization := side ->> 'org_id';
      owner_id := side ->> 'id';
    else
      owner_id := side ->> tg_argv[1];
      execute format('select org_id from %I where id = $1', owner_table)
        into organization using owner_id;
      -- The links of a deleted owner follow it.
      continue when organization is null;
      if tg_op = 'DELETE' then
        -- The links to a deleted object follow it, and those of users who left.
        execute format('select exists (select 1 from %I where id = $1)', tg_argv[2])
          into other_exists using (side ->> tg_argv[3])::uuid;
        continue when not other_exists;
        continue when is_permission and tg_table_name = owner_table || '_users' and (
          exists (select 1 from account a where a.id = (side ->> 'user_id')::uuid
            and not a.is_active)
          or organization <> '' and not exists (select 1 from organization_member m
            where m.organization_id::text = organization
            and m.user_id = (side ->> 'user_id')::uuid));
      end if;
    end if;
    if not change_is_decided(organization, case when is_permission then owner_id end, tg_op) then
      raise exception using errcode = 'SP001', message = 'the organization controls this change';
    end if;
  end loop;
  if tg_op = 'DELETE' then
    return old;
  end if;
  return new;
end $$;

create trigger change_control before update or delete on change_control
  for each row execute function guard_change();

create trigger change_control before insert or update or delete on asset_permission
  for each row execute function guard_change();
create trigger change_control before insert or update or delete on remote_app_permission
  for each row execute function guard_change();
create trigger change_control before insert or update or delete on database_app_permission
  for each row execute function guard_change();
create trigger change_control before insert or update or delete on condition
  for each row execute function guard_change();
create trigger change_control before insert or update or delete on network
  for each row execute function guard_change();
create trigger change_control before insert or update or delete on command_filter
  for each row execute function guard_change();
create trigger change_control before insert or update or delete on command_filter_rule
  for each row execute function guard_change();
create trigger change_control before insert or update or delete on emergency_access
  for each row execute function guard_change();

create trigger change_control before insert or update or delete on asset_permission_users
  for each row execute function guard_change('asset_permission', 'asset_permission_id', 'account', 'user_id');
create trigger change_control before insert or update or delete on asset_permission_user_groups
  for each row execute function guard_change('asset_permission', 'asset_permission_id', 'user_group', 'user_group_id');
create trigger change_control before insert or update or delete on asset_permission_assets
  for each row execute function guard_change('asset_permission', 'asset_permission_id', 'asset', 'asset_id');
create trigger change_control before insert or update or delete on asset_permission_nodes
  for each row execute function guard_change('asset_permission', 'asset_permission_id', 'node', 'node_id');
create trigger change_control before insert or update or delete on asset_permission_system_users
  for each row execute function guard_change('asset_permission', 'asset_permission_id', 'system_account', 'system_user_id');
create trigger change_control before insert or update or delete on asset_permission_approvers
  for each row execute function guard_change('asset_permission', 'asset_permission_id', 'account', 'user_id');
create trigger change_control before insert or update or delete on remote_app_permission_users
  for each row execute function guard_change('remote_app_permission', 'remote_app_permission_id', 'account', 'user_id');
create trigger change_control before insert or update or delete on remote_app_permission_user_groups
  for each row execute function guard_change('remote_app_permission', 'remote_app_permission_id', 'user_group', 'user_group_id');
create trigger change_control before insert or update or delete on remote_app_permission_remote_apps
  for each row execute function guard_change('remote_app_permission', 'remote_app_permission_id', 'remote_app', 'remote_app_id');
create trigger change_control before insert or update or delete on remote_app_permission_system_users
  for each row execute function guard_change('remote_app_permission', 'remote_app_permission_id', 'system_account', 'system_user_id');
create trigger change_control before insert or update or delete on remote_app_permission_approvers
  for each row execute function guard_change('remote_app_permission', 'remote_app_permission_id', 'account', 'user_id');
create trigger change_control before insert or update or delete on database_app_permission_users
  for each row execute function guard_change('database_app_permission', 'database_app_permission_id', 'account', 'user_id');
create trigger change_control before insert or update or delete on database_app_permission_user_groups
  for each row execute function guard_change('database_app_permission', 'database_app_permission_id', 'user_group', 'user_group_id');
create trigger change_control before insert or update or delete on database_app_permission_database_apps
  for each row execute function guard_change('database_app_permission', 'database_app_permission_id', 'database_app', 'database_app_id');
create trigger change_control before insert or update or delete on database_app_permission_system_users
  for each row execute function guard_change('database_app_permission', 'database_app_permission_id', 'system_account', 'system_user_id');
create trigger change_control before insert or update or delete on database_app_permission_approvers
  for each row execute function guard_change('database_app_permission', 'database_app_permission_id', 'account', 'user_id');
create trigger change_control before insert or update or delete on condition_networks
  for each row execute function guard_change('condition', 'condition_id', 'network', 'network_id');
create trigger change_control before insert or update or delete on command_filter_system_users
  for each row execute function guard_change('command_filter', 'command_filter_id', 'system_account', 'system_user_id');
create trigger change_control before insert or update or delete on emergency_access_users
  for each row execute function guard_change('emergency_access', 'emergency_access_id', 'account', 'user_id');
create trigger change_control before insert or update or delete on emergency_access_user_groups
  for each row execute function guard_change('emergency_access', 'emergency_access_id', 'user_group', 'user_group_id');
create trigger change_control before insert or update or delete on emergency_access_assets
  for each row execute function guard_change('emergency_access', 'emergency_access_id', 'asset', 'asset_id');
create trigger change_control before insert or update or delete on emergency_access_nodes
  for each row execute function guard_change('emergency_access', 'emergency_access_id', 'node', 'node_id');
create trigger change_control before insert or update or delete on emergency_access_system_users
  for each row execute function guard_change('emergency_access', 'emergency_access_id', 'system_account', 'system_user_id');
create trigger change_control before insert or update or delete on emergency_access_reviewers
  for each row execute function guard_change('emergency_access', 'emergency_access_id', 'account', 'user_id');
