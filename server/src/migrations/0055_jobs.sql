-- Jobs as people see them. The queue itself belongs to pg-boss and is in the schema "jobs"; its triggers keep this table in step (platform/jobs).
create table job (
  id uuid primary key,
  name text not null,
  -- What the job is about in words, such as the name of a file; never a secret.
  subject text not null default '',
  org_id text not null default '',
  user_id uuid references account on delete set null,
  started_by text not null default '',
  state text not null check (state in ('queued', 'running', 'succeeded', 'failed', 'canceled')),
  attempt integer not null default 0,
  done integer not null default 0,
  total integer not null default 0,
  -- Why it failed: the code of an error with its parameters.
  problem jsonb,
  result jsonb,
  -- Runs inside of a request and not out of the queue.
  attached boolean not null default false,
  date_alive timestamptz,
  last_line integer not null default 0,
  date_created timestamptz not null default now(),
  date_started timestamptz,
  date_finished timestamptz,
  search_text text generated always as (lower(name || ' ' || subject || ' ' || started_by)) stored
);
create index job_created on job (date_created desc, id);
create index job_by_name on job (name, date_created desc);
create index job_by_user on job (user_id, date_created desc);
create index job_by_organization on job (org_id, date_created desc);
create index job_search on job using gin (search_text gin_trgm_ops);

create table job_log (
  job_id uuid not null references job on delete cascade,
  line integer not null,
  date timestamptz not null default now(),
  text text not null,
  primary key (job_id, line)
);

-- Follows one row of the queue. The caller is in the data of the row, put there by the server and never by a client.
create function mirror_job() returns trigger language plpgsql as $$
declare
  caller jsonb := coalesce(new.data -> 'caller', '{}');
  stopped text := coalesce(new.output -> 'value' ->> 'message', new.output ->> 'message', '');
  present text := case new.state::text
    when 'active' then 'running' when 'completed' then 'succeeded' when 'cancelled' then 'canceled' when 'failed' then 'failed' else 'queued' end;
begin
  if present = 'succeeded' and new.data ->> 'history' = 'failures' then
    delete from public.job where id = new.id;
  else
    insert into public.job as j (id, name, subject, org_id, user_id, started_by, state, attempt, date_created, date_started, date_finished)
    values (new.id, new.name, coalesce(new.data ->> 'subject', ''), coalesce(caller ->> 'organization', ''),
      (select a.id from public.account a where a.id = (caller ->> 'userId')::uuid), coalesce(caller ->> 'name', ''),
      present, case when present = 'running' then new.retry_count + 1 else 0 end, new.created_on,
      case when present = 'running' then now() end, case when present in ('succeeded', 'failed', 'canceled') then now() end)
    on conflict (id) do update set
      state = present,
      attempt = case when present = 'running' then new.retry_count + 1 else j.attempt end,
      date_started = case when present = 'running' then now() else j.date_started end,
      date_finished = excluded.date_finished,
      problem = case
        when present = 'running' then null
        when stopped = 'job timed out' or stopped like 'handler execution exceeded %' then jsonb_build_object('code', 'job_timeout')
        when stopped = 'job heartbeat timeout' or stopped like 'pg-boss shut down %' then jsonb_build_object('code', 'job_interrupted')
        else j.problem end;
  end if;
  perform pg_notify('job', new.id::text);
  return null;
end $$;

-- Jobs that a migration asks for. The queue's own schema is made by the server when it starts, which then takes them over.
create table job_request (
  id uuid primary key default gen_random_uuid(),
  name text not null,
  input jsonb not null,
  start_after timestamptz not null default now()
);
