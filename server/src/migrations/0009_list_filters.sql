-- The sessions of a person or of a server: counted from the index alone, and given in its order.
drop index session_person;
create index session_person on session (org_id, user_id, date_start desc, id desc);
drop index session_asset;
create index session_asset on session (org_id, asset_id, date_start desc, id desc);

-- Lists filter by platform, and a platform that is renamed or deleted looks for its assets.
create index asset_platform on asset (org_id, platform, is_active);

-- What is granted is counted by taking the few inactive assets from what is known about the nodes.
create index asset_inactive on asset (id) where not is_active;
