-- Sessions of another product, which an import copied as history. They have no digest, count
-- nowhere, and emit no event: this product did not see them happen.
alter table session add imported_from text check (imported_from <> '');
create index session_imported on session (org_id, date_start desc, id desc)
  where imported_from is not null;

create function session_origin_fixed() returns trigger language plpgsql as $$
begin
  raise exception 'the origin of a session cannot change';
end $$;
create trigger session_origin_fixed before update of imported_from on session
  for each row when (new.imported_from is distinct from old.imported_from)
  execute function session_origin_fixed();

-- Only sessions of this product use permissions, requests and emergency access.
drop trigger session_uses_permissions on session;
create trigger session_uses_permissions after insert on session
  for each row when (new.imported_from is null) execute function session_uses_permissions();
drop trigger session_uses_requests on session;
create trigger session_uses_requests after insert on session
  for each row when (new.imported_from is null) execute function session_uses_requests();
drop trigger session_is_emergency on session;
create trigger session_is_emergency before insert on session
  for each row when (new.imported_from is null) execute function session_is_emergency();
drop trigger event_begin on session;
create constraint trigger event_begin after insert on session deferrable initially deferred
  for each row when (new.imported_from is null)
  execute function write_event('session_begin', 'id user asset system_user user_id asset_id system_user_id login_from remote_addr protocol second_factor date_start');

create or replace function session_days_follow() returns trigger language plpgsql as $$
begin
  perform session_days_add(array_agg(org_id), array_agg(date_start), array_agg(user_id), array_agg("user"), array_agg(asset_id), array_agg(asset))
    from new_rows where not is_canary and imported_from is null and date_start >= (select counted_from from session_zone);
  return null;
end $$;

create or replace function session_days_step() returns boolean language plpgsql as $$
declare
  upper_bound timestamptz;
  lower_bound timestamptz;
begin
  lock table session in share row exclusive mode;
  select counted_from into upper_bound from session_zone;
  select max(date_start) - interval '1 hour' into lower_bound
    from session where date_start < upper_bound and date_start > now() - make_interval(days => session_days_kept()) and not is_canary and imported_from is null;
  perform session_days_add(array_agg(org_id), array_agg(date_start), array_agg(user_id), array_agg("user"), array_agg(asset_id), array_agg(asset))
    from session where date_start >= lower_bound and date_start < upper_bound and not is_canary and imported_from is null;
  update session_zone set counted_from = coalesce(lower_bound, '-infinity');
  return lower_bound is null;
end $$;
