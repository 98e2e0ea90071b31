-- Names of accounts are equal without letter case. They consist of ASCII letters, digits and
-- `_ @ - .`, so only the 26 letters fold: other characters that a client types, such as the Kelvin
-- sign, name no account. `foldedName` of the server folds alike.
create function folded_name(name text) returns text immutable strict parallel safe language sql
return lower(name collate "C");

create index account_folded on account (folded_name(username));

-- Returns the account of a name: the exact one, or the only one that differs in letter case. An
-- earlier version could store such pairs; each of them keeps its exact name.
create function account_named(named text) returns uuid stable strict language sql as $$
  select coalesce(
    (select a.id from account a where a.username = named),
    (select min(a.id::text)::uuid from account a
      where folded_name(a.username) = folded_name(named) having count(*) = 1))
$$;

-- Refuses a name that another account has in any letter case, like a unique index, which could not
-- be made while pairs exist.
create function refuse_same_name() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and folded_name(old.username) = folded_name(new.username) then
    return new;
  end if;
  -- Of two transactions with the same name, the second waits and then sees the first.
  perform pg_advisory_xact_lock(hashtextextended('account ' || folded_name(new.username), 0));
  if exists (select 1 from account a
    where folded_name(a.username) = folded_name(new.username) and a.id <> new.id) then
    raise exception using errcode = '23505', message = 'another account has this name',
      detail = format('Key (username)=(%s) already exists.', new.username);
  end if;
  return new;
end $$;
create trigger same_name before insert or update of username on account
  for each row execute function refuse_same_name();
