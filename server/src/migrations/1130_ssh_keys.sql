-- SSH keys with which users sign in. The key of the profile, as existing clients know it, is
-- `account.public_key`, and has a row here too.
create table ssh_key (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references account (id) on delete cascade,
  name text not null,
  public_key text not null,
  is_profile boolean not null default false,
  date_created timestamptz not null default now(),
  date_expired timestamptz,
  date_last_used timestamptz,
  -- Address of the last use.
  remote_addr text not null default ''
);
create index ssh_key_user on ssh_key (user_id, date_created);
create unique index ssh_key_profile on ssh_key (user_id) where is_profile;

-- Named by the comment of the key, or by its type.
create function keep_profile_key() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' then
    if new.public_key is not distinct from old.public_key then return null; end if;
    delete from ssh_key where user_id = new.id and is_profile;
  end if;
  if coalesce(new.public_key, '') <> '' then
    insert into ssh_key (user_id, name, public_key, is_profile)
    values (new.id,
      left(coalesce(substring(new.public_key from '^\S+\s+\S+\s+(\S.*)$'),
        split_part(new.public_key, ' ', 1)), 128),
      new.public_key, true);
  end if;
  return null;
end $$;
create trigger keep_profile_key after insert or update of public_key on account
  for each row execute function keep_profile_key();

insert into ssh_key (user_id, name, public_key, is_profile, date_created)
select id,
  left(coalesce(substring(public_key from '^\S+\s+\S+\s+(\S.*)$'),
    split_part(public_key, ' ', 1)), 128),
  public_key, true, date_joined
from account where coalesce(public_key, '') <> '';
