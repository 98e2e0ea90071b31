-- The finished days of a week and of a month, summed: what is over does not change from one look at the dashboard to the next. A sum is good for the day and the zone it was made for, as long as
-- its days have as many sessions as then. Written by whoever looks first, and again when a session of a day before today is added.
create table session_window (
  org_id text not null,
  days integer not null,
  today date not null,
  zone text not null,
  sessions bigint not null,
  users integer not null,
  primary key (org_id, days)
);
create table session_window_user (
  org_id text not null,
  days integer not null,
  user_id uuid not null,
  sessions integer not null,
  primary key (org_id, days, user_id) include (sessions)
);
create index session_window_user_most on session_window_user (org_id, days, sessions desc, user_id);
create table session_window_asset (
  org_id text not null,
  days integer not null,
  asset_id uuid not null,
  sessions integer not null,
  primary key (org_id, days, asset_id) include (sessions)
);
create index session_window_asset_most on session_window_asset (org_id, days, sessions desc, asset_id);

-- Makes the sums of the finished days of a span of days that ends today, unless they are there.
create function session_window_refresh(org text, span integer) returns void language plpgsql as $$
declare
  now_day date := session_today();
  here text := coalesce((select zone from session_zone), '');
  found bigint := (select coalesce(sum(d.sessions), 0) from session_day d where d.org_id = org and d.day > now_day - span and d.day < now_day);
begin
  if exists (select 1 from session_window w where w.org_id = org and w.days = span and w.today = now_day and w.zone = here and w.sessions = found) then
    return;
  end if;
  -- One makes them, others wait for it and make them again at the worst.
  perform pg_advisory_xact_lock(hashtextextended('session_window ' || span || ' ' || org, 0));
  delete from session_window_user w where w.org_id = org and w.days = span;
  insert into session_window_user (org_id, days, user_id, sessions)
    select org, span, d.user_id, sum(d.sessions) from session_day_user d where d.org_id = org and d.day > now_day - span and d.day < now_day group by d.user_id;
  delete from session_window_asset w where w.org_id = org and w.days = span;
  insert into session_window_asset (org_id, days, asset_id, sessions)
    select org, span, d.asset_id, sum(d.sessions) from session_day_asset d where d.org_id = org and d.day > now_day - span and d.day < now_day group by d.asset_id;
  insert into session_window (org_id, days, today, zone, sessions, users)
    select org, span, now_day, here, found, count(*) from session_window_user w where w.org_id = org and w.days = span
    on conflict (org_id, days) do update set today = excluded.today, zone = excluded.zone, sessions = excluded.sessions, users = excluded.users;
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
  delete from session_window;
  perform session_days_add(array_agg(org_id), array_agg(date_start), array_agg(user_id), array_agg("user"), array_agg(asset_id), array_agg(asset))
    from session where date_start > now() - make_interval(days => session_days_kept()) and not is_canary;
end $$;
