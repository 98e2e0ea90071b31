-- Secret fields of proposed changes, sealed. The change set itself only names the fields.
create table change_set_secret (
  change_set_id uuid not null references change_set (id) on delete cascade,
  -- Position of the change and field, such as `0.password`.
  place text not null,
  -- Ends the context of the sealed value, which so opens for this change set and place only.
  id text generated always as (change_set_id::text || '.' || place) stored primary key,
  value text not null
);
create index change_set_secret_set on change_set_secret (change_set_id);

-- A decision that is final forgets the secrets. Those of expired proposals are deleted by a job.
create function change_set_secrets_end() returns trigger language plpgsql as $$
begin
  delete from change_set_secret where change_set_id = new.id;
  return null;
end $$;
create trigger secrets_end after update of state on change_set for each row
  when (new.state in ('applied', 'failed', 'rejected', 'withdrawn'))
  execute function change_set_secrets_end();
