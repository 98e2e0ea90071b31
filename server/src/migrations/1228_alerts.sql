-- Alerts of unusual sign-ins: one per organization of the user, kind, subject and day.
create table alert (
  id uuid primary key default gen_random_uuid(),
  org_id text not null default '',
  kind text not null check (kind in ('new_network', 'unusual_hour')),
  "user" text not null,
  username text not null default '',
  user_id text not null default '',
  subject text not null default '',
  remote_addr text not null default '',
  -- Entry in the sign-in log; retention may have removed it.
  sign_in uuid,
  datetime timestamptz not null,
  -- Day of the alert in the time zone of the server.
  day date not null,
  is_seen boolean not null default false,
  seen_by text not null default '',
  note text not null default '',
  date_seen timestamptz,
  search_text text generated always as
    (lower("user" || E'\n' || subject || E'\n' || remote_addr || E'\n' || seen_by)) stored
);
create unique index alert_once on alert (org_id, day, kind, user_id, subject);
create index alert_list on alert (org_id, datetime desc, id);
create index alert_unseen on alert (org_id, datetime desc) where (not is_seen);
create index alert_search on alert using gin (search_text gin_trgm_ops);
-- For retention over all organizations.
create index alert_datetime on alert (datetime);

-- Position in the sign-in log up to which alerts were raised. Earlier entries than `alerts_from`
-- only teach the habits of their users.
create table alert_cursor (
  log text primary key,
  position bigint not null,
  alerts_from timestamptz not null default now()
);
insert into alert_cursor (log, position)
select 'login_log', coalesce(
  (select min(sequence) - 1 from login_log where datetime >= now() - interval '90 days'),
  (select sequence from audit_chain where log = 'login_log'), 0);

-- Networks from which a user signed in, and the number of sign-ins by day and hour in the time zone
-- of the server. Kept for 90 days, apart from the logs and their retention.
create table sign_in_place (
  user_id uuid not null references account (id) on delete cascade,
  network text not null,
  last_seen timestamptz not null,
  primary key (user_id, network)
);
create index sign_in_place_last_seen on sign_in_place (last_seen);
create table sign_in_hour (
  user_id uuid not null references account (id) on delete cascade,
  day date not null,
  hour integer not null check (hour between 0 and 23),
  amount integer not null,
  primary key (user_id, day, hour)
);
create index sign_in_hour_day on sign_in_hour (day);

alter table event_receiver add column sends_alerts boolean not null default true;
create constraint trigger event after insert on alert deferrable initially deferred for each row
  execute function write_event('alert', 'id kind user username user_id subject remote_addr sign_in');

alter table notification drop constraint notification_kind_check,
  add constraint notification_kind_check check (kind in ('ticket_asked', 'ticket_approved',
    'ticket_rejected', 'ticket_closed', 'emergency_opened', 'emergency_ended',
    'second_person_asked', 'change_proposed', 'change_applied', 'change_rejected',
    'change_emergency', 'access_ends', 'access_ended', 'job_failed', 'own_new_network',
    'alert_new_network', 'alert_unusual_hour'));
