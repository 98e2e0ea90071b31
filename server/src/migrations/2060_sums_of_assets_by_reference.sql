-- Number of assets of each admin user, domain and label, as a sum of changes: a list with these
-- numbers read all their assets. Rows are only added, so that no writer waits for another. A timer
-- merges them.
create table asset_reference_tally (
  -- An admin user, a domain or a label.
  reference_id uuid not null,
  assets integer not null
);
create index asset_reference_tally_sum on asset_reference_tally (reference_id) include (assets);

create function asset_reference_tally_add() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into public.asset_reference_tally (reference_id, assets)
      select reference, count(*) from new_rows, lateral (values (admin_user_id), (domain_id)) referenced (reference)
      where reference is not null group by 1;
  else
    insert into public.asset_reference_tally (reference_id, assets)
      select reference, -count(*) from old_rows, lateral (values (admin_user_id), (domain_id)) referenced (reference)
      where reference is not null group by 1;
  end if;
  return null;
end $$;
create trigger asset_reference_tally_added after insert on asset referencing new table as new_rows
  for each statement execute function asset_reference_tally_add();
create trigger asset_reference_tally_removed after delete on asset referencing old table as old_rows
  for each statement execute function asset_reference_tally_add();

-- For each row: most updates of assets change neither column, and then this costs nothing.
create function asset_reference_tally_move() returns trigger language plpgsql as $$
begin
  insert into public.asset_reference_tally (reference_id, assets)
    select reference, sum(change) from (values (old.admin_user_id, -1), (old.domain_id, -1),
      (new.admin_user_id, 1), (new.domain_id, 1)) moved (reference, change)
    where reference is not null group by 1 having sum(change) <> 0;
  return null;
end $$;
create trigger asset_reference_tally_moved after update of admin_user_id, domain_id on asset
  for each row when (old.admin_user_id is distinct from new.admin_user_id
    or old.domain_id is distinct from new.domain_id)
  execute function asset_reference_tally_move();

create function asset_reference_tally_label() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into public.asset_reference_tally (reference_id, assets)
      select label_id, count(*) from new_rows group by 1;
  else
    insert into public.asset_reference_tally (reference_id, assets)
      select label_id, -count(*) from old_rows group by 1;
  end if;
  return null;
end $$;
create trigger asset_reference_tally_added after insert on label_assets
  referencing new table as new_rows
  for each statement execute function asset_reference_tally_label();
create trigger asset_reference_tally_removed after delete on label_assets
  referencing old table as old_rows
  for each statement execute function asset_reference_tally_label();

create function asset_reference_tally_recount() returns trigger language plpgsql as $$
begin
  delete from public.asset_reference_tally;
  insert into public.asset_reference_tally (reference_id, assets)
    select reference, count(*) from public.asset, lateral (values (admin_user_id), (domain_id)) referenced (reference)
      where reference is not null group by 1
    union all select label_id, count(*) from public.label_assets group by 1;
  return null;
end $$;
create trigger asset_reference_tally_truncated after truncate on asset for each statement
  execute function asset_reference_tally_recount();
create trigger asset_reference_tally_truncated after truncate on label_assets for each statement
  execute function asset_reference_tally_recount();

-- Merges the changes of each reference. Rows added by others in the meantime stay.
create function asset_reference_tally_gather() returns void language sql as $$
  with gone as (
    delete from public.asset_reference_tally where reference_id in (
      select reference_id from public.asset_reference_tally group by 1 having count(*) > 1 or sum(assets) = 0)
    returning reference_id, assets)
  insert into public.asset_reference_tally (reference_id, assets)
    select reference_id, sum(assets) from gone group by 1 having sum(assets) <> 0
$$;

insert into asset_reference_tally (reference_id, assets)
  select reference, count(*) from asset, lateral (values (admin_user_id), (domain_id)) referenced (reference)
    where reference is not null group by 1
  union all select label_id, count(*) from label_assets group by 1;
