-- The organization is that of the asset.
alter table asset_user add column org_id text not null default '';
update asset_user r set org_id = a.org_id from asset a where a.id = r.asset_id;
