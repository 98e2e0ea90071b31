-- Platforms of assets.
create table platform (
  id uuid primary key default gen_random_uuid(),
  name text not null unique,
  base text not null default 'Linux',
  charset text not null default 'utf8' check (charset in ('utf8', 'gbk')),
  internal boolean not null default false,
  meta jsonb,
  comment text,
  search_text text generated always as (lower(name)) stored,
  -- True if servers of the platform may use outdated SSH algorithms.
  old_ssh boolean not null default false,
  constraint platform_base check (base in ('Linux', 'Unix', 'MacOS', 'BSD', 'Windows', 'Other')),
  constraint platform_meta check (meta is null or jsonb_typeof(meta) = 'object')
);
create index platform_search on platform using gin (search_text gin_trgm_ops);

create table domain (
  id uuid primary key default gen_random_uuid(),
  org_id text not null default '',
  name text not null,
  comment text not null default '',
  date_created timestamptz not null default now(),
  search_text text generated always as (lower(name)) stored,
  pinyin text,
  unique (org_id, name)
);
create index domain_search on domain using gin (search_text gin_trgm_ops);
create index domain_pinyin on domain using gin (pinyin gin_trgm_ops) where (pinyin is not null);

create table gateway (
  id uuid primary key default gen_random_uuid(),
  org_id text not null default '',
  name text not null,
  ip text not null,
  port integer not null default 22,
  protocol text not null default 'ssh',
  username text not null default '',
  password text,
  private_key text,
  domain_id uuid not null references domain (id) on delete cascade,
  is_active boolean not null default true,
  comment text,
  created_by text not null default '',
  date_created timestamptz not null default now(),
  date_updated timestamptz not null default now(),
  search_text text generated always as (lower(name || E'\n' || ip || E'\n' || username)) stored,
  unique (org_id, name)
);
create index gateway_domain on gateway (domain_id);
create index gateway_search on gateway using gin (search_text gin_trgm_ops);

create table admin_user (
  id uuid primary key default gen_random_uuid(),
  org_id text not null default '',
  name text not null,
  username text not null default '',
  password text,
  private_key text,
  public_key text,
  comment text not null default '',
  created_by text not null default '',
  date_created timestamptz not null default now(),
  date_updated timestamptz not null default now(),
  search_text text generated always as (lower(name || E'\n' || username)) stored,
  previous_secrets jsonb,
  date_secret_changed timestamptz,
  unique (org_id, name)
);
create index admin_user_search on admin_user using gin (search_text gin_trgm_ops);

-- In enforced mode the account runs only these commands, one pattern a line.
create table system_account (
  id uuid primary key default gen_random_uuid(),
  org_id text not null default '',
  name text not null,
  username text not null default '',
  protocol text not null default 'ssh',
  password text,
  private_key text,
  public_key text,
  login_mode text not null default 'auto',
  priority integer not null default 20,
  username_same_with_user boolean not null default false,
  auto_push boolean not null default true,
  sudo text not null default '/bin/whoami',
  shell text not null default '/bin/bash',
  sftp_root text not null default 'tmp',
  comment text not null default '',
  created_by text not null default '',
  date_created timestamptz not null default now(),
  date_updated timestamptz not null default now(),
  search_text text
    generated always as (lower(name || E'\n' || username || E'\n' || protocol)) stored,
  pinyin text,
  enforced boolean not null default false,
  allowed_commands text not null default '',
  -- Secret before the last change, to take a wrong change back. It stays sealed for its column and
  -- row. No API route returns it.
  previous_secrets jsonb,
  date_secret_changed timestamptz,
  -- Home folder of accounts created on assets.
  home text not null default '',
  -- VNC account without password. Open sessions end when it changes.
  no_password boolean not null default false,
  -- Accounts of databases: ask before statements that affect every row, and how transactions start
  -- in the workspace.
  confirm_all_rows boolean not null default true,
  autocommit boolean not null default true,
  unique (org_id, name)
);
create index system_account_search on system_account using gin (search_text gin_trgm_ops);
create index system_account_pinyin on system_account using gin (pinyin gin_trgm_ops)
  where (pinyin is not null);

-- Servers. Clients read the connectivity as a text.
create table asset (
  id uuid primary key default gen_random_uuid(),
  org_id text not null default '',
  hostname text not null,
  ip text not null,
  protocols text[] not null default '{ssh/22}'::text[],
  is_active boolean not null default true,
  public_ip text,
  number text,
  vendor text,
  model text,
  sn text,
  cpu_model text,
  cpu_count integer,
  cpu_cores integer,
  cpu_vcpus integer,
  memory text,
  disk_total text,
  disk_info text,
  os text,
  os_version text,
  os_arch text,
  hostname_raw text,
  comment text not null default '',
  created_by text not null default '',
  date_created timestamptz not null default now(),
  admin_user_id uuid references admin_user (id) on delete restrict,
  domain_id uuid references domain (id) on delete set null,
  platform text not null references platform(name) on update cascade on delete restrict,
  search_text text generated always as (lower(hostname || E'\n' || ip || E'\n' || comment)) stored,
  -- Result of the last connection test: 0 unreachable, 1 reachable, 2 unknown.
  connectivity_status smallint not null default 2 check (connectivity_status in (0, 1, 2)),
  connectivity_date timestamptz,
  pinyin text,
  -- Reason of a failed connection test in both languages, or null.
  connectivity_reason jsonb,
  unique (org_id, hostname)
);
alter table asset alter column search_text set statistics 1000;
create index asset_search on asset using gin (search_text gin_trgm_ops);
create index asset_ip on asset (org_id, ip);
create index asset_admin_user on asset (admin_user_id);
create index asset_domain on asset (domain_id);
-- For lists by platform, and for renaming and deleting platforms.
create index asset_platform on asset (org_id, platform, is_active);
-- Counts of granted assets subtract the few inactive ones from the counts of nodes.
create index asset_inactive on asset (id) where (not is_active);
create index asset_search_pairs on asset using gin (text_pairs(search_text));
create index asset_pinyin on asset using gin (pinyin gin_trgm_ops) where (pinyin is not null);
-- Prefix search: finds the first hosts among 100,000 without reading the others.
create index asset_prefix on asset (org_id, lower(hostname) text_pattern_ops);
-- Few rows, read with every dashboard.
create index asset_unreachable on asset (org_id) where (is_active and (connectivity_status = 0));
-- The dashboard counts disabled assets and the used ones among them from this index alone.
create index asset_disabled on asset (org_id, id) where (not is_active);
-- Lists of granted assets look up many ids; the index has everything that orders the list.
create index asset_granted on asset (id) include (org_id, hostname, ip) where is_active;

-- Secrets of accounts on single assets, which precede those of system users and admin users with
-- the same username. Each change is a new version.
create table asset_user (
  id uuid primary key default gen_random_uuid(),
  asset_id uuid not null references asset (id) on delete cascade,
  username text not null check (username <> ''),
  version integer not null,
  is_latest boolean not null default true,
  -- Sealed.
  password text,
  private_key text,
  public_key text,
  comment text not null default '',
  -- Origin of the secret in the product.
  origin text not null default 'user' check (origin in ('user', 'push', 'change_auth')),
  created_by text not null default '',
  date_created timestamptz not null default now(),
  date_updated timestamptz not null default now(),
  -- Organization of the asset.
  org_id text not null default '',
  unique (asset_id, username, version)
);
create unique index asset_user_latest on asset_user (asset_id, username) where is_latest;
create index asset_user_username on asset_user (username, asset_id) where is_latest;
-- Assets with an own secret for a username, in all versions.
create index asset_user_by_username on asset_user (org_id, username, asset_id);

create table label (
  id uuid primary key default gen_random_uuid(),
  org_id text not null default '',
  name text not null,
  value text not null,
  category text not null default 'U' check (category in ('S', 'U')),
  is_active boolean not null default true,
  comment text,
  date_created timestamptz not null default now(),
  search_text text generated always as (lower(name || E'\n' || value)) stored,
  unique (org_id, name, value)
);
-- Searchable lists have an index, however long they grow.
create index label_search on label using gin (search_text gin_trgm_ops);

create table label_assets (
  label_id uuid references label (id) on delete cascade,
  asset_id uuid references asset (id) on delete cascade,
  primary key (label_id, asset_id)
);
create index label_assets_asset on label_assets (asset_id, label_id);

-- Pinned host keys, and a different key that the server offered since.
create table host_key (
  id uuid primary key default gen_random_uuid(),
  org_id text not null default '',
  asset_id uuid references asset (id) on delete cascade,
  gateway_id uuid references gateway (id) on delete cascade,
  host text not null,
  port integer not null,
  key_type text not null,
  public_key bytea not null,
  fingerprint text not null,
  date_pinned timestamptz not null default now(),
  offered_key_type text,
  offered_public_key bytea,
  offered_fingerprint text,
  date_offered timestamptz,
  constraint host_key_check check (num_nonnulls(asset_id, gateway_id) = 1)
);
create unique index host_key_asset on host_key (asset_id, host, port);
create unique index host_key_gateway on host_key (gateway_id, host, port);

-- Result of the last sign-in test of a username on an asset, for every kind of account.
create table account_connectivity (
  asset_id uuid references asset (id) on delete cascade,
  username text,
  status smallint not null check (status in (0, 1)),
  reason jsonb,
  date timestamptz not null,
  primary key (asset_id, username)
);

-- The asset tree. Keys look like 1:2:3; roots are numbered by this sequence. Triggers keep exact
-- counts in the transaction of the change: asset_ancestor has how often an asset is below a node,
-- node.assets_amount how many assets are.
create sequence node_root_key;

create table node (
  id uuid primary key default gen_random_uuid(),
  org_id text not null default '',
  key text not null,
  value text not null,
  parent_id uuid references node (id) on delete restrict,
  ancestors uuid[] not null,
  child_mark integer not null default 0,
  assets_amount integer not null default 0 check (assets_amount >= 0),
  date_created timestamptz not null default now(),
  search_text text generated always as (lower(value)) stored,
  pinyin text
);
create unique index node_key on node (key);
create index node_key_prefix on node (key text_pattern_ops);
create unique index node_sibling on node (parent_id, value);
create unique index node_root on node (org_id) where (parent_id is null);
create index node_parent on node (parent_id, key);
create index node_org on node (org_id, key);
create index node_search on node using gin (search_text gin_trgm_ops);
create index node_pinyin on node using gin (pinyin gin_trgm_ops) where (pinyin is not null);
-- Prefix search over nodes and permissions.
create index node_prefix on node (org_id, lower(value) text_pattern_ops);

create table node_assets (
  node_id uuid references node (id) on delete restrict,
  asset_id uuid references asset (id) on delete cascade,
  primary key (node_id, asset_id)
);
create index node_assets_asset on node_assets (asset_id, node_id);

create table asset_ancestor (
  node_id uuid references node (id) on delete cascade,
  asset_id uuid references asset (id) on delete cascade,
  times integer not null check (times > 0),
  primary key (node_id, asset_id)
);
create index asset_ancestor_asset on asset_ancestor (asset_id, node_id);
-- Assets on several nodes are few. Counts of granted assets read them alone.
create index asset_ancestor_shared on asset_ancestor (node_id, asset_id) where (times > 1);

-- Databases and programs that users open instead of whole servers.
create table remote_app (
  id uuid primary key default gen_random_uuid(),
  org_id text not null default '',
  name text not null,
  -- Server of the program.
  asset_id uuid not null references asset (id) on delete cascade,
  type text not null default 'chrome'
    check (type in ('chrome', 'mysql_workbench', 'vmware_client', 'custom')),
  path text not null default '',
  -- Parameters of the program. Its password is sealed, in another column.
  params jsonb not null default '{}',
  password text,
  comment text not null default '',
  created_by text not null default '',
  date_created timestamptz not null default now(),
  search_text text generated always as (lower(name || ' ' || type || ' ' || comment)) stored,
  -- For search by pinyin.
  pinyin text,
  unique (org_id, name)
);
create index remote_app_asset on remote_app (asset_id);
create index remote_app_search on remote_app using gin (search_text gin_trgm_ops);
create index remote_app_pinyin on remote_app using gin (pinyin gin_trgm_ops)
  where (pinyin is not null);

create table database_app (
  id uuid primary key default gen_random_uuid(),
  org_id text not null default '',
  name text not null,
  type text not null default 'mysql' check (type in ('mysql', 'mariadb', 'postgresql', 'redis')),
  host text not null,
  port integer not null default 3306 check (port >= 1 and port <= 65535),
  database text,
  domain_id uuid references domain (id) on delete set null,
  tls text not null default 'off' check (tls in ('off', 'required')),
  ca_certificate text not null default '',
  comment text not null default '',
  created_by text not null default '',
  date_created timestamptz not null default now(),
  date_updated timestamptz not null default now(),
  search_text text generated always as (lower(name)) stored,
  pinyin text,
  unique (org_id, name)
);
create index database_app_domain on database_app (domain_id) where (domain_id is not null);
create index database_app_search on database_app using gin (search_text gin_trgm_ops);
create index database_app_pinyin on database_app using gin (pinyin gin_trgm_ops)
  where (pinyin is not null);

-- Changes after which an asset may have other accounts, in addition to those that grant_version
-- counts. Rows are only added, so that no writer waits for another. Readers remember their
-- snapshot: later rows are new to them. Null: any asset.
create table account_list_change (
  id bigint primary key generated always as identity,
  asset_id uuid,
  changed_by xid8 not null default pg_current_xact_id(),
  date timestamptz not null default clock_timestamp()
);
create index account_list_change_date on account_list_change (date);

-- New rows of node_assets already hold a key lock on their node for the foreign key. A stronger
-- lock made two transactions that add assets to one node wait for each other.
create function asset_ancestor_add(nodes uuid[], assets uuid[], amounts integer[])
  returns void language plpgsql as $$
begin
  -- All writers lock in this order, so that they wait instead of deadlocking.
  perform 1 from node where id = any (nodes) order by id for no key update;
  with change as (
    select node_id, asset_id, sum(amount)::integer as amount
    from unnest(nodes, assets, amounts) as given (node_id, asset_id, amount)
    group by node_id, asset_id having sum(amount) <> 0
  ), added as (
    insert into asset_ancestor as present (node_id, asset_id, times)
    select change.node_id, change.asset_id, change.amount from change where change.amount > 0
    on conflict (node_id, asset_id) do update set times = present.times + excluded.times
  ), gone as (
    delete from asset_ancestor present using change
    where change.amount < 0 and present.node_id = change.node_id and present.asset_id = change.asset_id and present.times + change.amount <= 0
  )
  update asset_ancestor present set times = present.times + change.amount from change
    where change.amount < 0 and present.node_id = change.node_id and present.asset_id = change.asset_id and present.times + change.amount > 0;
end $$;

-- Keeps the count, also when a deleted asset takes its rows along.
create function asset_ancestor_changed() returns trigger language plpgsql as $$
begin
  update node set assets_amount = assets_amount + (case tg_op when 'INSERT' then difference.amount else -difference.amount end)
  from (select node_id, count(*)::integer as amount from changed group by node_id) difference where node.id = difference.node_id;
  return null;
end $$;
create trigger asset_ancestor_inserted after insert on asset_ancestor
  referencing new table as changed for each statement execute function asset_ancestor_changed();
create trigger asset_ancestor_deleted after delete on asset_ancestor
  referencing old table as changed for each statement execute function asset_ancestor_changed();

create function node_assets_changed() returns trigger language plpgsql as $$
declare
  nodes uuid[];
  assets uuid[];
  amounts integer[];
begin
  select array_agg(above.id), array_agg(changed.asset_id), array_agg(case tg_op when 'INSERT' then 1 else -1 end)
    into nodes, assets, amounts
    from changed join node on node.id = changed.node_id cross join lateral unnest(node.ancestors) as above (id);
  if nodes is not null then
    perform asset_ancestor_add(nodes, assets, amounts);
  end if;
  return null;
end $$;
create trigger node_assets_inserted after insert on node_assets referencing new table as changed
  for each statement execute function node_assets_changed();
create trigger node_assets_deleted after delete on node_assets referencing old table as changed
  for each statement execute function node_assets_changed();

-- Moves a node with its subtree to another parent, with a new key, and updates the counts of both
-- lines of ancestors.
create function node_move(moved uuid, target uuid) returns void language plpgsql as $$
declare
  old_key text;
  new_key text;
  old_above uuid[];
  new_above uuid[];
begin
  select key, array_remove(ancestors, id) into old_key, old_above from node where id = moved;
  update node set child_mark = child_mark + 1 where id = target returning key || ':' || child_mark, ancestors into new_key, new_above;
  perform asset_ancestor_add(array_agg(step.node_id), array_agg(step.asset_id), array_agg(step.amount)) from (
    select above.id as node_id, below.asset_id, -below.times as amount
      from asset_ancestor below cross join unnest(old_above) as above (id) where below.node_id = moved
    union all
    select above.id, below.asset_id, below.times
      from asset_ancestor below cross join unnest(new_above) as above (id) where below.node_id = moved
  ) step having count(*) > 0;
  update node set
    key = new_key || substr(key, length(old_key) + 1),
    ancestors = array(select unnest(ancestors) except select unnest(old_above)) || new_above,
    parent_id = case when id = moved then target else parent_id end
  where key = old_key or key like old_key || ':%';
end $$;

-- Tells live sessions and their watchers that the rights of a user may have changed, so that they
-- are checked at once.
create function standing_moved() returns trigger language plpgsql as $$
begin
  perform pg_notify('standing', '');
  return null;
end $$;
create trigger standing_moved after delete or update of is_active on access_key for each statement
  execute function standing_moved();
create trigger standing_moved after delete or update of role, is_active, date_expired on account
  for each statement execute function standing_moved();
create trigger standing_moved after insert or delete or update on organization_member
  for each statement execute function standing_moved();
-- Open sessions end when it changes.
create trigger enforced_moved after update of enforced, allowed_commands, no_password on system_account
  for each statement execute function standing_moved();

create function keep_previous_secrets() returns trigger language plpgsql as $$
begin
  if (old.password, old.private_key, old.public_key) is distinct from (new.password, new.private_key, new.public_key) then
    new.date_secret_changed := now();
    new.previous_secrets := case when coalesce(old.password, old.private_key) is not null then
      jsonb_build_object('password', old.password, 'private_key', old.private_key, 'public_key', old.public_key) end;
  end if;
  return new;
end
$$;
create trigger admin_user_keeps_previous_secrets before update of password, private_key, public_key on admin_user
  for each row execute function keep_previous_secrets();
create trigger system_account_keeps_previous_secrets before update of password, private_key, public_key on system_account
  for each row execute function keep_previous_secrets();

-- Returns true if the system user is pushed automatically.
create function pushes_itself(s system_account) returns boolean language sql immutable as $$
  select s.auto_push and s.login_mode = 'auto' and s.protocol in ('ssh', 'rdp')
$$;

-- An asset joins a node, or a node joins another node.
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
create trigger pushes after insert on asset_ancestor referencing new table as changed
  for each statement execute function push_of_node_assets();

-- A pushed field has changed.
create function push_of_system_user() returns trigger language plpgsql as $$
begin
  insert into system_user_push_wanted (system_user_id) values (new.id)
  on conflict (system_user_id, asset_id, node_id, username) do update set is_queued = false;
  return null;
end $$;
create trigger pushes after update on system_account
  for each row when (pushes_itself(new.*) and (new.username is distinct from old.username or new.username_same_with_user is distinct from old.username_same_with_user or new.password is distinct from old.password or new.private_key is distinct from old.private_key or new.shell is distinct from old.shell or new.home is distinct from old.home or new.sudo is distinct from old.sudo or new.auto_push is distinct from old.auto_push or new.protocol is distinct from old.protocol or new.login_mode is distinct from old.login_mode))
  execute function push_of_system_user();

create function ops_task_of_node_renamed() returns trigger language plpgsql as $$
begin
  perform ops_task_call(task.id, (select string_agg(above.value, ' / ' order by length(above.key)) from node above where above.id = any (named.ancestors)))
  from ops_task task join node named on named.id = substr(task.key, 6)::uuid
  where task.key like 'node:%' and (named.id = new.id or (old.value <> new.value and new.id = any (named.ancestors)));
  return null;
end $$;
create trigger node_renamed after update of value, ancestors on node
  for each row when (old.value <> new.value or old.ancestors <> new.ancestors)
  execute function ops_task_of_node_renamed();

-- Keys are `asset:ID`, `admin_user:ID` and `system_user:ID`; for one account on one asset the name
-- starts with the system user.
create function ops_task_of_row_renamed() returns trigger language plpgsql as $$
declare
  old_name text := to_jsonb(old) ->> tg_argv[1];
  new_name text := to_jsonb(new) ->> tg_argv[1];
begin
  perform ops_task_call(task.id, new_name || substr(task.subject, length(old_name) + 1))
  from ops_task task where task.key like tg_argv[0] || ':' || new.id || '%' and starts_with(task.subject, old_name);
  return null;
end $$;
create trigger admin_user_renamed after update of name on admin_user
  for each row when (old.name <> new.name)
  execute function ops_task_of_row_renamed('admin_user', 'name');
create trigger asset_renamed after update of hostname on asset
  for each row when (old.hostname <> new.hostname)
  execute function ops_task_of_row_renamed('asset', 'hostname');
create trigger system_user_renamed after update of name on system_account
  for each row when (old.name <> new.name)
  execute function ops_task_of_row_renamed('system_user', 'name');

-- Readers read everything again after an hour, so older changes are not needed.
create function account_list_change_clear() returns void language sql as $$
  delete from account_list_change where id in (
    select id from account_list_change where date < now() - interval '1 hour' order by date limit 1000 for update skip locked)
$$;

create function account_list_changed_at() returns trigger language plpgsql as $$
begin
  perform account_list_change_clear();
  if (select count(*) from (select 1 from changed limit 501) few) > 500 then
    insert into account_list_change (asset_id) values (null);
  else
    insert into account_list_change (asset_id) select distinct asset_id from changed;
  end if;
  return null;
end $$;
create trigger account_list_added after insert on asset_user referencing new table as changed
  for each statement execute function account_list_changed_at();
create trigger account_list_removed after delete on asset_user referencing old table as changed
  for each statement execute function account_list_changed_at();

create function account_list_changed() returns trigger language plpgsql as $$
begin
  perform account_list_change_clear();
  insert into account_list_change (asset_id) values (null);
  return null;
end $$;
create trigger account_list_moved after update of username on account for each statement
  execute function account_list_changed();
create trigger account_list_moved after update of username on admin_user for each statement
  execute function account_list_changed();
create trigger account_list_moved after update of hostname, ip, org_id, admin_user_id on asset
  for each statement execute function account_list_changed();
create trigger account_list_moved after update of asset_id, username or truncate on asset_user
  for each statement execute function account_list_changed();
create trigger account_list_moved after update of username, username_same_with_user, org_id on system_account
  for each statement execute function account_list_changed();

create function asset_tally_add() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into asset_tally (org_id, assets) select org_id, count(*) from new_rows group by 1;
  else
    insert into asset_tally (org_id, assets) select org_id, -count(*) from old_rows group by 1;
  end if;
  return null;
end $$;
create trigger asset_tally_added after insert on asset referencing new table as new_rows
  for each statement execute function asset_tally_add();
create trigger asset_tally_removed after delete on asset referencing old table as old_rows
  for each statement execute function asset_tally_add();

insert into platform (name, base, charset, internal, meta) values
  ('Linux', 'Linux', 'utf8', true, null),
  ('Unix', 'Unix', 'utf8', true, null),
  ('MacOS', 'MacOS', 'utf8', true, null),
  ('BSD', 'BSD', 'utf8', true, null),
  ('Windows', 'Windows', 'utf8', true, null),
  ('Windows2016', 'Windows', 'utf8', true, '{"security": "tls"}'),
  ('Other', 'Other', 'utf8', true, null);

insert into node (id, org_id, key, value, ancestors)
select id, '', nextval('node_root_key')::text, 'Default', array[id] from (select gen_random_uuid() as id) fresh;
