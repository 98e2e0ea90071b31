-- Whether somebody else chose the password of an account. Any other password takes the mark away, whoever writes it; who writes one for
-- somebody else sets it afterwards.
alter table account add column password_assigned boolean not null default false;
create or replace function password_chosen() returns trigger language plpgsql as $$
begin
  if new.password is distinct from old.password then
    new.password_generated := false;
    new.password_assigned := false;
  end if;
  return new;
end $$;
