-- The first page of what somebody is granted is remembered until the grants change. What orders it counts as such a change: every write of an asset locks the version first.
drop trigger grants_moved on asset;
create trigger grants_moved after insert or delete or truncate or update of is_active, protocols, hostname, ip on asset for each statement execute function grant_version_moved();
