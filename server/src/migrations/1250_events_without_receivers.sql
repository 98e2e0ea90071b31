-- Returns a row with its times in UTC.
create function row_in_utc(content record) returns jsonb language plpgsql set "TimeZone" to 'UTC' as $$
begin
  return to_jsonb(content);
end $$;

-- Without a receiver, the function neither reads the row nor changes the time zone.
create or replace function write_event() returns trigger language plpgsql as $$
declare
  kind text := tg_argv[0];
  line jsonb;
begin
  if not exists (select from public.event_receiver where is_active) then
    return null;
  end if;
  line := public.row_in_utc(new);
  perform pg_advisory_xact_lock(hashtext('sallyport events'));
  insert into public.event (kind, org_id, date, data)
  values (kind, line ->> 'org_id',
    coalesce(line ->> 'datetime', line ->> 'date_end', line ->> 'date_start')::timestamptz,
    (select jsonb_object_agg(name, line -> name) from unnest(string_to_array(tg_argv[1], ' ')) name));
  perform pg_notify('events', '');
  return null;
end $$;
