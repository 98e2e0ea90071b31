-- The asset tree. Keys look like 1:2:3; a root's key is a number of its own. Counts are kept exact by triggers, in the transaction
-- of the change itself: asset_ancestor says how often an asset hangs below a node, node.assets_amount how many assets do.
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
  search_text text generated always as (lower(value)) stored
);
create unique index node_key on node (key);
create index node_key_prefix on node (key text_pattern_ops);
create unique index node_sibling on node (parent_id, value);
create unique index node_root on node (org_id) where parent_id is null;
create index node_parent on node (parent_id, key);
create index node_org on node (org_id, key);
comment on column node.ancestors is 'The node itself and everything above it, in any order.';

create sequence node_root_key;
insert into node (id, org_id, key, value, ancestors)
select id, '', nextval('node_root_key')::text, 'Default', array[id] from (select gen_random_uuid() as id) fresh;

create table node_assets (
  node_id uuid not null references node (id) on delete restrict,
  asset_id uuid not null references asset (id) on delete cascade,
  primary key (node_id, asset_id)
);
create index node_assets_asset on node_assets (asset_id, node_id);

create table asset_ancestor (
  node_id uuid not null references node (id) on delete cascade,
  asset_id uuid not null references asset (id) on delete cascade,
  times integer not null check (times > 0),
  primary key (node_id, asset_id)
);
create index asset_ancestor_asset on asset_ancestor (asset_id, node_id);

-- Adds (or with a negative sign takes away) memberships of assets below nodes and corrects the counts by what that changed.
create function asset_ancestor_add(nodes uuid[], assets uuid[], amounts integer[]) returns void language plpgsql as $$
begin
  -- One order of locking for everybody: two changes at once wait for each other instead of deadlocking.
  perform 1 from node where id = any (nodes) order by id for update;
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

-- Whatever adds or removes such a row, the count follows: also when an asset is deleted and takes its rows along.
create function asset_ancestor_changed() returns trigger language plpgsql as $$
begin
  update node set assets_amount = assets_amount + (case tg_op when 'INSERT' then difference.amount else -difference.amount end)
  from (select node_id, count(*)::integer as amount from changed group by node_id) difference where node.id = difference.node_id;
  return null;
end $$;
create trigger asset_ancestor_inserted after insert on asset_ancestor referencing new table as changed
  for each statement execute function asset_ancestor_changed();
create trigger asset_ancestor_deleted after delete on asset_ancestor referencing old table as changed
  for each statement execute function asset_ancestor_changed();

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

-- Hangs a node with everything below it under another parent, with a new key; the counts of both lines of ancestors follow.
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
