-- Change control covers system users. Results of the server's own work are not a change: dates, the
-- secret before the last one, and secrets that a rotation of keys seals again.
create function guard_system_user() returns trigger language plpgsql as $$
declare
  own text[] := '{date_updated,date_secret_changed,previous_secrets,search_text,pinyin}';
begin
  if is_resealing() then
    own := own || '{password,private_key,public_key}'::text[];
  end if;
  if tg_op = 'UPDATE' and to_jsonb(old) - own = to_jsonb(new) - own then
    return new;
  end if;
  if tg_op <> 'INSERT' and not change_is_decided(old.org_id, null, tg_op)
    or tg_op <> 'DELETE' and not change_is_decided(new.org_id, null, tg_op) then
    raise exception using errcode = 'SP001', message = 'the organization controls this change';
  end if;
  if tg_op = 'DELETE' then
    return old;
  end if;
  return new;
end $$;
create trigger change_control before insert or update or delete on system_account
  for each row execute function guard_system_user();
