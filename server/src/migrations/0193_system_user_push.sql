-- Accounts of system users are made on the servers of their assets.
alter table system_account add column home text not null default '';

-- What became of each account on each asset, the latest time. `waiting`: it is to be pushed.
create table system_user_push (
  id uuid primary key default gen_random_uuid(),
  org_id text not null,
  system_user_id uuid not null references system_account (id) on delete cascade,
  asset_id uuid not null references asset (id) on delete cascade,
  username text not null,
  state text not null default 'waiting' check (state in ('waiting', 'done', 'failed', 'skipped')),
  -- In both languages.
  reason jsonb,
  -- What the programs of the server said.
  detail text not null default '',
  changed text[] not null default '{}',
  date_pushed timestamptz,
  search_text text generated always as (lower(username)) stored,
  unique (system_user_id, asset_id, username)
);
create index system_user_push_asset on system_user_push (asset_id);
create index system_user_push_state on system_user_push (system_user_id, state, asset_id);

-- What bindings ask for. One row stands for an asset, a node with everything below it, one username, or, with none of them, for everything a system user has.
create table system_user_push_wanted (
  system_user_id uuid not null references system_account (id) on delete cascade,
  asset_id uuid references asset (id) on delete cascade,
  node_id uuid references node (id) on delete cascade,
  username text,
  -- A job was asked for.
  is_queued boolean not null default false,
  unique nulls not distinct (system_user_id, asset_id, node_id, username)
);
create index system_user_push_wanted_asset on system_user_push_wanted (asset_id);
create index system_user_push_wanted_node on system_user_push_wanted (node_id);

-- Whether anything pushes a system user by itself.
create function pushes_itself(s system_account) returns boolean language sql immutable as $$
  select s.auto_push and s.login_mode = 'auto' and s.protocol in ('ssh', 'rdp')
$$;

-- Hears of new rows; bindings come in crowds, so the server waits a moment.
create function push_wanted() returns trigger language plpgsql as $$
begin
  perform pg_notify('system_user_push', '');
  return null;
end $$;
create trigger push_wanted after insert on system_user_push_wanted for each statement execute function push_wanted();

create function push_of_rule_assets() returns trigger language plpgsql as $$
begin
  insert into system_user_push_wanted (system_user_id, asset_id)
  select distinct s.id, changed.asset_id from changed
    join asset_permission_system_users link on link.asset_permission_id = changed.asset_permission_id
    join system_account s on s.id = link.system_user_id where pushes_itself(s) order by 1, 2
  on conflict (system_user_id, asset_id, node_id, username) do update set is_queued = false;
  return null;
end $$;
create trigger pushes after insert on asset_permission_assets referencing new table as changed for each statement execute function push_of_rule_assets();

create function push_of_rule_nodes() returns trigger language plpgsql as $$
begin
  insert into system_user_push_wanted (system_user_id, node_id)
  select distinct s.id, changed.node_id from changed
    join asset_permission_system_users link on link.asset_permission_id = changed.asset_permission_id
    join system_account s on s.id = link.system_user_id where pushes_itself(s) order by 1, 2
  on conflict (system_user_id, asset_id, node_id, username) do update set is_queued = false;
  return null;
end $$;
create trigger pushes after insert on asset_permission_nodes referencing new table as changed for each statement execute function push_of_rule_nodes();

create function push_of_rule_system_users() returns trigger language plpgsql as $$
begin
  insert into system_user_push_wanted (system_user_id, asset_id, node_id)
  select distinct s.id, place.asset_id, place.node_id from changed
    join system_account s on s.id = changed.system_user_id
    join (
      select asset_permission_id, asset_id, null::uuid as node_id from asset_permission_assets
      union all
      select asset_permission_id, null, node_id from asset_permission_nodes
    ) place on place.asset_permission_id = changed.asset_permission_id
  where pushes_itself(s) order by 1, 2
  on conflict (system_user_id, asset_id, node_id, username) do update set is_queued = false;
  return null;
end $$;
create trigger pushes after insert on asset_permission_system_users referencing new table as changed for each statement execute function push_of_rule_system_users();

-- An asset joins a node, or a node joins another one.
create function push_of_node_assets() returns trigger language plpgsql as $$
begin
  insert into system_user_push_wanted (system_user_id, asset_id)
  select distinct s.id, changed.asset_id from changed
    join asset_permission_nodes rule on rule.node_id = changed.node_id
    join asset_permission_system_users link on link.asset_permission_id = rule.asset_permission_id
    join system_account s on s.id = link.system_user_id where pushes_itself(s) order by 1, 2
  on conflict (system_user_id, asset_id, node_id, username) do update set is_queued = false;
  return null;
end $$;
create trigger pushes after insert on asset_ancestor referencing new table as changed for each statement execute function push_of_node_assets();

-- A system user that takes the names of its users gets another one.
create function push_of_rule_users() returns trigger language plpgsql as $$
begin
  insert into system_user_push_wanted (system_user_id, username)
  select distinct s.id, u.username from changed join account u on u.id = changed.user_id
    join asset_permission_system_users link on link.asset_permission_id = changed.asset_permission_id
    join system_account s on s.id = link.system_user_id where pushes_itself(s) and s.username_same_with_user order by 1, 2
  on conflict (system_user_id, asset_id, node_id, username) do update set is_queued = false;
  return null;
end $$;
create trigger pushes after insert on asset_permission_users referencing new table as changed for each statement execute function push_of_rule_users();

create function push_of_rule_groups() returns trigger language plpgsql as $$
begin
  insert into system_user_push_wanted (system_user_id, username)
  select distinct s.id, u.username from changed
    join user_group_users member on member.user_group_id = changed.user_group_id join account u on u.id = member.user_id
    join asset_permission_system_users link on link.asset_permission_id = changed.asset_permission_id
    join system_account s on s.id = link.system_user_id where pushes_itself(s) and s.username_same_with_user order by 1, 2
  on conflict (system_user_id, asset_id, node_id, username) do update set is_queued = false;
  return null;
end $$;
create trigger pushes after insert on asset_permission_user_groups referencing new table as changed for each statement execute function push_of_rule_groups();

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
create trigger pushes after insert on user_group_users referencing new table as changed for each statement execute function push_of_group_users();

-- What is pushed has changed.
create function push_of_system_user() returns trigger language plpgsql as $$
begin
  insert into system_user_push_wanted (system_user_id) values (new.id)
  on conflict (system_user_id, asset_id, node_id, username) do update set is_queued = false;
  return null;
end $$;
create trigger pushes after update on system_account for each row
  when (pushes_itself(new) and (new.username, new.username_same_with_user, new.password, new.private_key, new.shell, new.home, new.sudo, new.auto_push, new.protocol, new.login_mode)
    is distinct from (old.username, old.username_same_with_user, old.password, old.private_key, old.shell, old.home, old.sudo, old.auto_push, old.protocol, old.login_mode))
  execute function push_of_system_user();
create index system_user_push_search on system_user_push using gin (search_text gin_trgm_ops);
