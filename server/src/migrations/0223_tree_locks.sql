-- New rows of node_assets already hold a key lock on their node, for the foreign key. A lock that is only for changes goes together with it; the stronger one
-- made two transactions that put assets into one node at the same moment wait for each other.
create or replace function asset_ancestor_add(nodes uuid[], assets uuid[], amounts integer[]) returns void language plpgsql as $$
begin
  -- One order of locking for everybody: two changes at once wait for each other instead of deadlocking.
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
