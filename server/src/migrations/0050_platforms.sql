-- Platforms can be written: what the declaration allows, the table keeps.
alter table platform
  add constraint platform_base check (base in ('Linux', 'Unix', 'MacOS', 'BSD', 'Windows', 'Other')),
  add constraint platform_meta check (meta is null or jsonb_typeof(meta) = 'object');
