-- How many assets there are, and on how many of them the last session was on a day: the sum of changes, which are only added. So nobody waits for anybody else's change, and the sum is right at every
-- moment. Readers put the changes of an organization together when there are many.
create table asset_tally (
  org_id text not null,
  -- Null: all assets.
  day date,
  assets integer not null
);
create index asset_tally_sum on asset_tally (org_id, day) include (assets);

create function asset_tally_add() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into asset_tally (org_id, assets) select org_id, count(*) from new_rows group by 1;
  else
    insert into asset_tally (org_id, assets) select org_id, -count(*) from old_rows group by 1;
  end if;
  return null;
end $$;
create trigger asset_tally_added after insert on asset referencing new table as new_rows for each statement execute function asset_tally_add();
create trigger asset_tally_removed after delete on asset referencing old table as old_rows for each statement execute function asset_tally_add();

create function asset_tally_add_used() returns trigger language plpgsql as $$
begin
  if tg_op <> 'DELETE' then
    insert into asset_tally (org_id, day, assets) select org_id, day, count(*) from new_rows group by 1, 2;
  end if;
  if tg_op <> 'INSERT' then
    insert into asset_tally (org_id, day, assets) select org_id, day, -count(*) from old_rows group by 1, 2;
  end if;
  return null;
end $$;
create trigger asset_tally_added after insert on session_last_asset referencing new table as new_rows for each statement execute function asset_tally_add_used();
create trigger asset_tally_moved after update on session_last_asset referencing old table as old_rows new table as new_rows for each statement execute function asset_tally_add_used();
create trigger asset_tally_removed after delete on session_last_asset referencing old table as old_rows for each statement execute function asset_tally_add_used();

-- Counts everything again: at first, and after rows were written without triggers.
create function asset_tally_recount() returns void language plpgsql as $$
begin
  lock table asset, session_last_asset in share row exclusive mode;
  delete from asset_tally;
  insert into asset_tally (org_id, assets) select org_id, count(*) from asset group by 1;
  insert into asset_tally (org_id, day, assets) select org_id, day, count(*) from session_last_asset group by 1, 2;
end $$;

create function asset_tally_truncated() returns trigger language plpgsql as $$
begin
  perform asset_tally_recount();
  return null;
end $$;
create trigger asset_tally_truncated after truncate on asset for each statement execute function asset_tally_truncated();
create trigger asset_tally_truncated after truncate on session_last_asset for each statement execute function asset_tally_truncated();

-- Puts the changes of an organization together. What others add meanwhile stays as it is.
create function asset_tally_gather(org text) returns void language sql as $$
  with gone as (delete from asset_tally where org_id = org returning day, assets)
  insert into asset_tally (org_id, day, assets) select org, day, sum(assets) from gone group by day having sum(assets) <> 0
$$;

select asset_tally_recount();

-- Whether one asset had a session since a day, from the index alone.
drop index session_last_asset_asset;
create index session_last_asset_asset on session_last_asset (asset_id, org_id, day);
