-- A new duty ends the sign-ins of its account and removes its passkeys, SSH keys and access keys,
-- because another duty may have added them while the account was an ordinary one. Holders of earlier
-- versions keep theirs: the keys may be their only ones, and nobody is locked out.
-- `date_duty_kept`: time of this upgrade for accounts that held a duty then. Keys from before are
-- named until the holder replaces them.
alter table account add column date_duty_kept timestamptz;
update account set date_duty_kept = now() where duty <> '';
-- A holder signs in again, by the second factor. Devices do so, too.
delete from web_session s using account a where a.id = s.user_id and a.duty <> '';
delete from device_sign_in d using account a where a.username = d.expected_user and a.duty <> '';

create function forget_kept_duty() returns trigger language plpgsql as $$
begin
  new.date_duty_kept := null;
  return new;
end $$;
create trigger kept_duty before update of duty on account
  for each row when (new.duty <> old.duty) execute function forget_kept_duty();
