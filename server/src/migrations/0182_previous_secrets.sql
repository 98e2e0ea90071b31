-- The secret that an account had before its last change, so that a wrong change can be taken back. It stays sealed as it was, for the
-- column and row that it comes from, so that it opens nowhere else. No address reads it.
alter table system_account add column previous_secrets jsonb, add column date_secret_changed timestamptz;
alter table admin_user add column previous_secrets jsonb, add column date_secret_changed timestamptz;

create function keep_previous_secrets() returns trigger language plpgsql as $$
begin
  if (old.password, old.private_key, old.public_key) is distinct from (new.password, new.private_key, new.public_key) then
    new.date_secret_changed := now();
    new.previous_secrets := case when coalesce(old.password, old.private_key) is not null then
      jsonb_build_object('password', old.password, 'private_key', old.private_key, 'public_key', old.public_key) end;
  end if;
  return new;
end
$$;

create trigger system_account_keeps_previous_secrets before update of password, private_key, public_key on system_account
  for each row execute function keep_previous_secrets();
create trigger admin_user_keeps_previous_secrets before update of password, private_key, public_key on admin_user
  for each row execute function keep_previous_secrets();
