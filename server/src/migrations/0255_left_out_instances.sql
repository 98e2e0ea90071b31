-- Somebody who deletes the asset of an instance that is still there does not want it: the next run leaves it out until somebody takes that back.
alter table cloud_instance add column is_left_out boolean not null default false;
create index cloud_instance_left_out on cloud_instance (org_id, provider, instance_id) where is_left_out;

create function cloud_instance_lost_asset() returns trigger language plpgsql as $$
begin
  -- Of a released instance the asset is deleted because the provider does not have it any more.
  if new.status <> 3 then
    new.is_left_out := true;
    new.status := 0;
    new.reason := null;
  end if;
  return new;
end $$;
create trigger cloud_instance_lost_asset before update of asset_id on cloud_instance for each row
  when (old.asset_id is not null and new.asset_id is null) execute function cloud_instance_lost_asset();
