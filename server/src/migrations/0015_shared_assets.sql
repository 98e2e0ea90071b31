-- Assets that hang on several nodes are few; counting what is granted asks for them alone.
create index asset_ancestor_shared on asset_ancestor (node_id, asset_id) where times > 1;
