-- Sessions by which a server tries out itself. They are no work of users: not counted, not listed unless asked for, and not part of the chain of digests.
alter table session add column is_canary boolean not null default false;
create index session_canary on session (holder, date_start) where is_canary;

create or replace function session_days_follow() returns trigger language plpgsql as $$
begin
  perform session_days_add(array_agg(org_id), array_agg(date_start), array_agg(user_id), array_agg("user"), array_agg(asset_id), array_agg(asset))
    from new_rows where not is_canary;
  return null;
end $$;

create or replace function session_days_rebuild(here text) returns void language plpgsql as $$
begin
  lock table session in share row exclusive mode;
  update session_zone set zone = here;
  delete from session_day;
  delete from session_day_user;
  delete from session_day_asset;
  delete from session_last_user;
  delete from session_last_asset;
  perform session_days_add(array_agg(org_id), array_agg(date_start), array_agg(user_id), array_agg("user"), array_agg(asset_id), array_agg(asset))
    from session where date_start > now() - make_interval(days => session_days_kept()) and not is_canary;
end $$;

-- What became of the last try of each server. A problem is in both languages.
alter table terminal
  add column canary_date timestamptz,
  add column canary_milliseconds integer,
  add column canary_problem jsonb;
