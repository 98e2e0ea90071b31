-- After a change of the zone, kept days are counted again in steps, newest hour first: the start of
-- a server does not wait for them, and a session that starts waits for one step at most.
-- The trigger counts what starts at `counted_from` or later, the steps count what is older.
alter table session_zone add counted_from timestamptz not null default '-infinity';

create or replace function session_days_follow() returns trigger language plpgsql as $$
begin
  perform session_days_add(array_agg(org_id), array_agg(date_start), array_agg(user_id), array_agg("user"), array_agg(asset_id), array_agg(asset))
    from new_rows where not is_canary and date_start >= (select counted_from from session_zone);
  return null;
end $$;

-- Counts the newest hour with sessions that are not counted yet. Returns true when none are left.
create function session_days_step() returns boolean language plpgsql as $$
declare
  upper_bound timestamptz;
  lower_bound timestamptz;
begin
  lock table session in share row exclusive mode;
  select counted_from into upper_bound from session_zone;
  select max(date_start) - interval '1 hour' into lower_bound
    from session where date_start < upper_bound and date_start > now() - make_interval(days => session_days_kept()) and not is_canary;
  perform session_days_add(array_agg(org_id), array_agg(date_start), array_agg(user_id), array_agg("user"), array_agg(asset_id), array_agg(asset))
    from session where date_start >= lower_bound and date_start < upper_bound and not is_canary;
  update session_zone set counted_from = coalesce(lower_bound, '-infinity');
  return lower_bound is null;
end $$;

-- Begins to count the kept days for a zone. Returns true when no step is left.
drop function session_days_rebuild;
create function session_days_rebuild(here text) returns boolean language plpgsql as $$
begin
  lock table session in share row exclusive mode;
  update session_zone set zone = here, counted_from = 'infinity';
  delete from session_day;
  delete from session_day_user;
  delete from session_day_asset;
  delete from session_last_user;
  delete from session_last_asset;
  delete from session_window;
  return session_days_step();
end $$;
