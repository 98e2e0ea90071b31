-- Counts of the dashboard: sessions per organization and day, with users and assets of the day,
-- kept in the transaction that writes the session. Days are in the zone of the installation.
-- Removed sessions stay counted. `session_days_kept` limits the rows.
create table session_zone (
  only_row boolean primary key default true check (only_row),
  -- Null until the first start of a server, which counts all sessions.
  zone text
);

create table session_day (
  org_id text,
  day date,
  sessions integer not null,
  users integer not null default 0,
  assets integer not null default 0,
  primary key (org_id, day)
);

create table session_day_user (
  org_id text,
  day date,
  user_id uuid,
  has_id boolean not null,
  name text not null,
  sessions integer not null,
  last_start timestamptz not null,
  primary key (org_id, day, user_id) include (sessions)
);

create table session_day_asset (
  org_id text,
  day date,
  asset_id uuid,
  has_id boolean not null,
  name text not null,
  sessions integer not null,
  last_start timestamptz not null,
  primary key (org_id, day, asset_id) include (sessions)
);

-- Last day with work of a user, and on an asset, per organization; deleted with the object.
create table session_last_user (
  org_id text,
  user_id uuid references account (id) on delete cascade,
  day date not null,
  primary key (org_id, user_id)
);
create index session_last_user_day on session_last_user (org_id, day, user_id);
create index session_last_user_account on session_last_user (user_id);

create table session_last_asset (
  org_id text,
  asset_id uuid references asset (id) on delete cascade,
  day date not null,
  primary key (org_id, asset_id)
);
create index session_last_asset_day on session_last_asset (org_id, day, asset_id);
create index session_last_asset_asset on session_last_asset (asset_id, org_id, day);

-- Sums of the finished days of a week and a month. A sum is valid for its day, its zone and the
-- number of sessions of its days. The first reader computes it.
create table session_window (
  org_id text,
  days integer,
  today date not null,
  zone text not null,
  sessions bigint not null,
  users integer not null,
  primary key (org_id, days)
);

create table session_window_user (
  org_id text,
  days integer,
  user_id uuid,
  sessions integer not null,
  primary key (org_id, days, user_id) include (sessions)
);
create index session_window_user_most on session_window_user (org_id, days, sessions desc, user_id);

create table session_window_asset (
  org_id text,
  days integer,
  asset_id uuid,
  sessions integer not null,
  primary key (org_id, days, asset_id) include (sessions)
);
create index session_window_asset_most on session_window_asset (org_id, days, sessions desc, asset_id);

-- Number of assets, and of assets last used on a day, as a sum of changes. Rows are only added, so
-- that no writer waits for another. Readers merge the rows of an organization when there are many.
create table asset_tally (
  org_id text not null,
  -- Null: all assets.
  day date,
  assets integer not null
);
create index asset_tally_sum on asset_tally (org_id, day) include (assets);

-- Counts the members of a day in the row of the day.
create function session_day_members() returns trigger language plpgsql as $$
begin
  if tg_table_name = 'session_day_user' then
    update session_day d set users = d.users + added.amount
    from (select org_id, day, count(*)::integer as amount from new_rows group by 1, 2) added where d.org_id = added.org_id and d.day = added.day;
  else
    update session_day d set assets = d.assets + added.amount
    from (select org_id, day, count(*)::integer as amount from new_rows group by 1, 2) added where d.org_id = added.org_id and d.day = added.day;
  end if;
  return null;
end $$;
create trigger session_day_members after insert on session_day_asset
  referencing new table as new_rows for each statement execute function session_day_members();
create trigger session_day_members after insert on session_day_user
  referencing new table as new_rows for each statement execute function session_day_members();

-- Counts sessions, given as columns. Rows are written in one order, days first, so that two
-- sessions that start together do not deadlock.
create function session_days_add(orgs text[], starts timestamp with time zone[], user_ids text[], user_names text[], asset_ids text[], asset_names text[])
  returns void language plpgsql as $$
declare
  here text := (select zone from session_zone);
begin
  if here is null or coalesce(cardinality(orgs), 0) = 0 then
    return;
  end if;
  insert into session_day as present (org_id, day, sessions)
    select given.org, (given.start at time zone here)::date, count(*) from unnest(orgs, starts) as given (org, start) group by 1, 2 order by 1, 2
    on conflict (org_id, day) do update set sessions = present.sessions + excluded.sessions;
  insert into session_day_user as present (org_id, day, user_id, has_id, name, sessions, last_start)
    select given.org, (given.start at time zone here)::date, session_key(given.id, given.name), uuid_or_null(given.id) is not null,
      (array_agg(given.name order by given.start desc))[1], count(*), max(given.start)
    from unnest(orgs, starts, user_ids, user_names) as given (org, start, id, name) group by 1, 2, 3, 4 order by 1, 2, 3
    on conflict (org_id, day, user_id) do update set sessions = present.sessions + excluded.sessions,
      name = case when excluded.last_start >= present.last_start then excluded.name else present.name end, last_start = greatest(present.last_start, excluded.last_start);
  insert into session_day_asset as present (org_id, day, asset_id, has_id, name, sessions, last_start)
    select given.org, (given.start at time zone here)::date, session_key(given.id, given.name), uuid_or_null(given.id) is not null,
      (array_agg(given.name order by given.start desc))[1], count(*), max(given.start)
    from unnest(orgs, starts, asset_ids, asset_names) as given (org, start, id, name) group by 1, 2, 3, 4 order by 1, 2, 3
    on conflict (org_id, day, asset_id) do update set sessions = present.sessions + excluded.sessions,
      name = case when excluded.last_start >= present.last_start then excluded.name else present.name end, last_start = greatest(present.last_start, excluded.last_start);
  begin
    insert into session_last_user as present (org_id, user_id, day)
      select given.org, u.id, max((given.start at time zone here)::date)
      from unnest(orgs, starts, user_ids) as given (org, start, id) join account u on u.id = uuid_or_null(given.id) group by 1, 2 order by 1, 2
      on conflict (org_id, user_id) do update set day = excluded.day where present.day < excluded.day;
    insert into session_last_asset as present (org_id, asset_id, day)
      select given.org, a.id, max((given.start at time zone here)::date)
      from unnest(orgs, starts, asset_ids) as given (org, start, id) join asset a on a.id = uuid_or_null(given.id) group by 1, 2 order by 1, 2
      on conflict (org_id, asset_id) do update set day = excluded.day where present.day < excluded.day;
  exception when foreign_key_violation then
    -- The user or the asset is being deleted and appears in no list; the session is stored.
    null;
  end;
end $$;

-- Counts the kept days again for a zone. Starting sessions wait.
create function session_days_rebuild(here text) returns void language plpgsql as $$
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

-- Today in the zone of the installation.
create function session_today() returns date language sql stable as $$
  select (now() at time zone coalesce(zone, 'UTC'))::date from session_zone
$$;

-- Removes old days and returns the number of rows.
create function session_days_forget() returns bigint language sql as $$
  with first as (select session_today() - session_days_kept() as day),
    days as (delete from session_day using first where session_day.day < first.day returning 1),
    users as (delete from session_day_user using first where session_day_user.day < first.day returning 1),
    assets as (delete from session_day_asset using first where session_day_asset.day < first.day returning 1)
  select (select count(*) from days) + (select count(*) from users) + (select count(*) from assets)
$$;

-- Computes the sums of the finished days of a span that ends today, unless they exist.
create function session_window_refresh(org text, span integer) returns void language plpgsql as $$
declare
  now_day date := session_today();
  here text := coalesce((select zone from session_zone), '');
  found bigint := (select coalesce(sum(d.sessions), 0) from session_day d where d.org_id = org and d.day > now_day - span and d.day < now_day);
begin
  if exists (select 1 from session_window w where w.org_id = org and w.days = span and w.today = now_day and w.zone = here and w.sessions = found) then
    return;
  end if;
  -- One caller computes the sums; others wait, and at worst compute them again.
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

create function asset_tally_add_used() returns trigger language plpgsql as $$
begin
  if tg_op <> 'DELETE' then
    insert into asset_tally (org_id, day, assets) select org_id, day, count(*) from new_rows group by 1, 2;
  end if;
  if tg_op <> 'INSERT' then
    insert into asset_tally (org_id, day, assets) select org_id, day, -count(*) from old_rows group by 1, 2;
  end if;
  return null;
end $$;
create trigger asset_tally_added after insert on session_last_asset
  referencing new table as new_rows for each statement execute function asset_tally_add_used();
create trigger asset_tally_moved after update on session_last_asset
  referencing old table as old_rows new table as new_rows for each statement
  execute function asset_tally_add_used();
create trigger asset_tally_removed after delete on session_last_asset
  referencing old table as old_rows for each statement execute function asset_tally_add_used();

-- Counts everything again: initially, and after rows were written without triggers.
create function asset_tally_recount() returns void language plpgsql as $$
begin
  lock table asset, session_last_asset in share row exclusive mode;
  delete from asset_tally;
  insert into asset_tally (org_id, assets) select org_id, count(*) from asset group by 1;
  insert into asset_tally (org_id, day, assets) select org_id, day, count(*) from session_last_asset group by 1, 2;
end $$;

create function asset_tally_truncated() returns trigger language plpgsql as $$
begin
  perform asset_tally_recount();
  return null;
end $$;
create trigger asset_tally_truncated after truncate on asset for each statement
  execute function asset_tally_truncated();
create trigger asset_tally_truncated after truncate on session_last_asset for each statement
  execute function asset_tally_truncated();

-- Merges the changes of an organization. Rows added by others in the meantime stay.
create function asset_tally_gather(org text) returns void language sql as $$
  with gone as (delete from asset_tally where org_id = org returning day, assets)
  insert into asset_tally (org_id, day, assets) select org, day, sum(assets) from gone group by day having sum(assets) <> 0
$$;

insert into session_zone default values;
