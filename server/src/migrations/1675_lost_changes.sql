-- Changes of users that the database had acknowledged, and that a failover to an older state took
-- away. `id` is that of the row that the log had.
create table lost_change (
  id uuid primary key,
  org_id text not null default '',
  "user" text not null,
  action text not null,
  resource_type text not null,
  resource text not null,
  resource_id text not null default '',
  remote_addr text not null,
  changes jsonb,
  datetime timestamptz not null,
  date_found timestamptz not null default now(),
  -- The operate log has an entry about the loss.
  is_logged boolean not null default false,
  is_settled boolean not null default false,
  settled_by text not null default '',
  note text not null default '',
  date_settled timestamptz,
  search_text text generated always as
    (lower("user" || E'\n' || resource || E'\n' || remote_addr || E'\n' || settled_by)) stored
);
create index lost_change_list on lost_change (org_id, datetime, id);
create index lost_change_open on lost_change (org_id, datetime) where (not is_settled);
create index lost_change_search on lost_change using gin (search_text gin_trgm_ops);
create index lost_change_unlogged on lost_change (date_found) where (not is_logged);
-- For retention over all organizations.
create index lost_change_found on lost_change (date_found);

alter table alert
  drop constraint alert_kind_check,
  add constraint alert_kind_check check (kind in ('new_network', 'new_country', 'unusual_hour',
    'first_use', 'many_denials', 'recovered', 'lost_changes'));
alter table notification drop constraint notification_kind_check,
  add constraint notification_kind_check check (kind in ('ticket_asked', 'ticket_approved',
    'ticket_rejected', 'ticket_closed', 'emergency_opened', 'emergency_ended',
    'second_person_asked', 'change_proposed', 'change_applied', 'change_rejected',
    'change_emergency', 'access_ends', 'access_ended', 'job_failed', 'own_new_network',
    'alert_new_network', 'alert_new_country', 'alert_unusual_hour', 'alert_first_use',
    'alert_many_denials', 'alert_recovered', 'alert_lost_changes'));
