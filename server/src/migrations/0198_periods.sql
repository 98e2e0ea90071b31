-- Tables whose rows run by themselves say so when one of them changes: the schedules of the queue follow (platform/jobs). The argument is the kind of job.
create function row_schedule_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('row_schedules', tg_argv[0]);
  return null;
end $$;
