-- Whether the password of an account is the one that the first start printed. Any other password takes the mark away, whoever writes it.
alter table account add column password_generated boolean not null default false;
create function password_chosen() returns trigger language plpgsql as $$
begin
  if new.password is distinct from old.password then new.password_generated := false; end if;
  return new;
end $$;
create trigger password_chosen before update of password on account for each row execute function password_chosen();
