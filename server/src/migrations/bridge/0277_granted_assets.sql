-- The list of what somebody is granted looks up many assets by their id, and of most of them it needs only what orders the list: that is read here, without the rows.
create index asset_granted on asset (id) include (org_id, hostname, ip) where is_active;
