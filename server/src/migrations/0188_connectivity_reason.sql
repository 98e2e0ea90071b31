-- Why the last test did not reach an asset, in both languages; null where it did.
alter table asset add column connectivity_reason jsonb;
