-- Established clients also name platforms and storages in sets, which other objects know by name.
alter table resource_set add column names text[] not null default '{}';
