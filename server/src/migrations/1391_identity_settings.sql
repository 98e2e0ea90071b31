-- Settings that decide who a user is: sign-ins by a directory or a provider, and the mails whose
-- links reset passwords. A test compares this with the declaration.
create function is_identity_setting(name text) returns boolean immutable language sql as $$
  select name ~ '^(AUTH|EMAIL)_' or name = 'SITE_URL'
$$;

create function duties_are_separated() returns boolean stable language sql as $$
  select exists (select 1 from setting where name = 'SECURITY_SEPARATE_DUTIES' and value = 'true')
$$;

-- While duties are separated, such a setting changes only by a change set that another
-- administrator has decided, even if the default organization does not control changes.
create function guard_identity_setting() returns trigger language plpgsql as $$
declare
  name text := case when tg_op = 'DELETE' then old.name else new.name end;
begin
  if is_identity_setting(name) and duties_are_separated()
    -- A rotation of keys seals the same secrets again.
    and not (tg_op = 'UPDATE' and is_resealing() is true)
    and not exists (
      select 1 from change_set s
      where s.id = nullif(current_setting('sallyport.change_set', true), '')::uuid
        and s.org_id = '' and s.state in ('previewing', 'applying') and not s.is_emergency) then
    raise exception using errcode = 'SP001', message = 'another duty approves this change';
  end if;
  return case when tg_op = 'DELETE' then old else new end;
end $$;
create trigger identity_setting before insert or update or delete on setting
  for each row execute function guard_identity_setting();
