-- Names by their beginning, as the search over everything asks for them first: without these it reads every node and every permission.
create index node_prefix on node (org_id, lower(value) text_pattern_ops);
create index asset_permission_prefix on asset_permission (org_id, lower(name) text_pattern_ops);

-- The servers that have an own secret for a username, in all versions.
create index asset_user_by_username on asset_user (org_id, username, asset_id);
