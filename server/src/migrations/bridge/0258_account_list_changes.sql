-- Changes after which an asset may have other accounts than before, besides those that grant_version counts. Rows are only added, so that nobody waits for anybody else's change. Readers
-- remember the snapshot that they saw: what is not visible in it is new to them. Without an asset: any may have changed.
create table account_list_change (
  id bigint generated always as identity primary key,
  asset_id uuid,
  changed_by xid8 not null default pg_current_xact_id(),
  date timestamptz not null default clock_timestamp()
);
create index account_list_change_date on account_list_change (date);

-- Nobody needs changes that are older than an hour: what was read before is read again.
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
create function account_list_changed() returns trigger language plpgsql as $$
begin
  perform account_list_change_clear();
  insert into account_list_change (asset_id) values (null);
  return null;
end $$;

create trigger account_list_added after insert on asset_user referencing new table as changed for each statement execute function account_list_changed_at();
create trigger account_list_removed after delete on asset_user referencing old table as changed for each statement execute function account_list_changed_at();
create trigger account_list_moved after truncate or update of asset_id, username on asset_user for each statement execute function account_list_changed();
create trigger account_list_moved after update of hostname, ip, org_id, admin_user_id on asset for each statement execute function account_list_changed();
create trigger account_list_moved after update of username on admin_user for each statement execute function account_list_changed();
create trigger account_list_moved after update of username, username_same_with_user, org_id on system_account for each statement execute function account_list_changed();
create trigger account_list_moved after update of username on account for each statement execute function account_list_changed();
