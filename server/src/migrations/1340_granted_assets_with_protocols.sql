-- Protocols in the index of active assets: consequences of a change read the protocols of all assets
-- below the root of a tree, and each row of an asset would be a random read.
drop index asset_granted;
create index asset_granted on asset (id) include (org_id, hostname, ip, protocols) where is_active;
