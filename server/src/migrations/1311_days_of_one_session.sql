-- Counts one session. After the first session of a user and an asset on a day, the rows exist and
-- no constraint can fail. Rows are written in the order of `session_days_add`.
create function session_days_add_one(org text, start timestamp with time zone, user_id text, user_name text, asset_id text, asset_name text)
  returns void language plpgsql as $$
declare
  here text := (select zone from session_zone);
  on_day date := (start at time zone here)::date;
  user_key uuid := session_key(user_id, user_name);
  asset_key uuid := session_key(asset_id, asset_name);
begin
  if here is null then
    return;
  end if;
  if not exists (select from session_day_user d where d.org_id = org and d.day = on_day and d.user_id = user_key)
    or not exists (select from session_day_asset d where d.org_id = org and d.day = on_day and d.asset_id = asset_key)
    or not exists (select from session_last_user l where l.org_id = org and l.user_id = user_key and l.day >= on_day)
    or not exists (select from session_last_asset l where l.org_id = org and l.asset_id = asset_key and l.day >= on_day) then
    perform session_days_add(array[org], array[start], array[user_id], array[user_name], array[asset_id], array[asset_name]);
    return;
  end if;
  update session_day d set sessions = d.sessions + 1 where d.org_id = org and d.day = on_day;
  update session_day_user d set sessions = d.sessions + 1,
    name = case when start >= d.last_start then user_name else d.name end, last_start = greatest(d.last_start, start)
    where d.org_id = org and d.day = on_day and d.user_id = user_key;
  update session_day_asset d set sessions = d.sessions + 1,
    name = case when start >= d.last_start then asset_name else d.name end, last_start = greatest(d.last_start, start)
    where d.org_id = org and d.day = on_day and d.asset_id = asset_key;
end $$;

create or replace function session_days_follow() returns trigger language plpgsql as $$
declare
  added record;
begin
  if (select count(*) from new_rows) = 1 then
    select * into added from new_rows;
    if not added.is_canary and added.imported_from is null and added.date_start >= (select counted_from from session_zone) then
      perform session_days_add_one(added.org_id, added.date_start, added.user_id, added."user", added.asset_id, added.asset);
    end if;
    return null;
  end if;
  perform session_days_add(array_agg(org_id), array_agg(date_start), array_agg(user_id), array_agg("user"), array_agg(asset_id), array_agg(asset))
    from new_rows where not is_canary and imported_from is null and date_start >= (select counted_from from session_zone);
  return null;
end $$;
