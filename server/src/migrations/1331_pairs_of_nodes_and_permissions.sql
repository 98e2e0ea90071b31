-- The search over everything compares two letters with 100,000 nodes and 50,000 permissions. The
-- trigram index would be read as a whole for them.
create index node_search_pairs on node using gin (text_pairs(search_text));
create index asset_permission_search_pairs on asset_permission using gin (text_pairs(search_text));
