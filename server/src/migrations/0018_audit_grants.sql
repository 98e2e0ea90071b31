-- Beside the triggers the rights themselves: the account that Sallyport works with may add to the logs and read them, and nothing else.
-- (A superuser stands above rights, which is why the triggers and the chain are there.)
revoke update, delete, truncate on operate_log, login_log, password_change_log from public, current_user;

-- Retention takes the right to delete for as long as it works, inside its own transaction.
create or replace function audit_forget(name text, before timestamptz) returns bigint language plpgsql as $$
declare
  last_sequence bigint;
  last_digest bytea;
  gone bigint;
begin
  perform 1 from audit_chain where log = name for update;
  -- Only a beginning goes: everything before the first row that is young enough.
  execute format('select coalesce(min(sequence), (select sequence + 1 from audit_chain where log = %L)) - 1 from %I where datetime >= $1', name, name) into last_sequence using before;
  execute format('select digest from %I where sequence = $1', name) into last_digest using last_sequence;
  if last_digest is null then
    return 0;
  end if;
  perform set_config('sallyport.retention', 'on', true);
  execute format('grant delete on %I to current_user', name);
  execute format('delete from %I where sequence <= $1', name) using last_sequence;
  get diagnostics gone = row_count;
  execute format('revoke delete on %I from current_user', name);
  perform set_config('sallyport.retention', 'off', true);
  update audit_chain set removed_sequence = last_sequence, removed_digest = last_digest where log = name;
  return gone;
end $$;
