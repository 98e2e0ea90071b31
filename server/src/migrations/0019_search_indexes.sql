-- Every list that can be searched is searched by an index, however long it grows. (People's own keys are few.)
create index label_search on label using gin (search_text gin_trgm_ops);
create index node_search on node using gin (search_text gin_trgm_ops);
create index domain_search on domain using gin (search_text gin_trgm_ops);
create index gateway_search on gateway using gin (search_text gin_trgm_ops);
create index admin_user_search on admin_user using gin (search_text gin_trgm_ops);
create index system_account_search on system_account using gin (search_text gin_trgm_ops);
create index asset_permission_search on asset_permission using gin (search_text gin_trgm_ops);
create index organization_search on organization using gin (search_text gin_trgm_ops);
create index platform_search on platform using gin (search_text gin_trgm_ops);
create index ldap_person_search on ldap_person using gin (search_text gin_trgm_ops);
