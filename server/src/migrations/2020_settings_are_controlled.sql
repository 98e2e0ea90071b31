-- Change control holds every setting, so a new one needs no migration. The other rows of the table
-- are of the program: it writes them at its start, and no user sets them.
create or replace function is_controlled_setting(name text) returns boolean immutable
language sql as $$
  select name not in ('FEATURES_OFF', 'vault_check') and name !~ '^DEMO_'
$$;
