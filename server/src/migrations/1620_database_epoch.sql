-- Renewed by each restore of a backup: servers send nothing again across a declared step back.
create table database_epoch (
  only_row boolean primary key default true check (only_row),
  id uuid not null default gen_random_uuid()
);
insert into database_epoch default values;
