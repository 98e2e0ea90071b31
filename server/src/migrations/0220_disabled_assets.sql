-- The dashboard counts the disabled assets, and which of them were used; their ids come from the index alone.
create index asset_disabled on asset (org_id, id) where not is_active;
