-- Alerts of access: the first use of an account, and many denials.
alter table alert
  add column session uuid,
  -- Number of denials.
  add column amount integer,
  drop constraint alert_kind_check,
  add constraint alert_kind_check check (kind in ('new_network', 'unusual_hour', 'first_use',
    'many_denials'));
drop trigger event on alert;
create constraint trigger event after insert on alert deferrable initially deferred for each row
  execute function write_event('alert', 'id kind user username user_id subject remote_addr sign_in session amount');
alter table notification drop constraint notification_kind_check,
  add constraint notification_kind_check check (kind in ('ticket_asked', 'ticket_approved',
    'ticket_rejected', 'ticket_closed', 'emergency_opened', 'emergency_ended',
    'second_person_asked', 'change_proposed', 'change_applied', 'change_rejected',
    'change_emergency', 'access_ends', 'access_ended', 'job_failed', 'own_new_network',
    'alert_new_network', 'alert_unusual_hour', 'alert_first_use', 'alert_many_denials'));

-- Sessions and denied commands that no job has read yet. Reading deletes the row.
create table alert_queue (
  id bigint primary key generated always as identity,
  kind text not null check (kind in ('use', 'denial')),
  session uuid not null,
  date timestamptz not null
);
create function queue_for_alerts() returns trigger language plpgsql as $$
begin
  if tg_table_name = 'session' then
    insert into public.alert_queue (kind, session, date) values ('use', new.id, new.date_start);
  else
    insert into public.alert_queue (kind, session, date) values ('denial', new.session, new.date);
  end if;
  return null;
end $$;
create trigger queue_for_alerts after insert on session for each row
  when (new.imported_from is null and not new.is_canary) execute function queue_for_alerts();
create trigger queue_for_alerts after insert on command for each row
  when (new.is_denied) execute function queue_for_alerts();

-- Last use of each account on each asset or application, for 90 days. Without references: the names
-- of sessions stay when their objects are deleted.
create table account_use (
  org_id text not null,
  asset_id text not null,
  system_user_id text not null,
  last_used timestamptz not null,
  primary key (org_id, asset_id, system_user_id)
);
create index account_use_last_used on account_use (last_used);
insert into account_use (org_id, asset_id, system_user_id, last_used)
select org_id, asset_id, system_user_id, max(date_start) from session
where date_start > now() - interval '90 days' and imported_from is null and not is_canary
group by org_id, asset_id, system_user_id;

-- Denials by minute of a user (its id) or of an address without a user, for two hours.
create table denial_count (
  subject text not null,
  minute timestamptz not null,
  amount integer not null,
  primary key (subject, minute)
);
create index denial_count_minute on denial_count (minute);
