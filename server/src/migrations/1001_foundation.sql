create extension pg_trgm;

-- The chain covers every column. A column that is younger than the row counts only where it has a
-- value, so digests of older rows stay valid.
create function audit_text(line jsonb)
  returns text language sql immutable set "TimeZone" to 'UTC' as $$
  select (case when line ->> 'version' is null then line - 'version' - 'digest' - 'search_text' else line - 'digest' - 'search_text' end)::text
$$;

-- Trigrams do not find texts of two letters. An index of the pairs of neighboring characters does.
create function text_pairs(searched text)
  returns text[] language sql immutable parallel safe strict as $$
  select array(
    select distinct one || next from (
      select one, lead(one) over (order by place) as next from unnest(string_to_array(searched, null)) with ordinality as letter (one, place)
    ) as neighbours where next is not null)
$$;

-- Sessions keep ids of objects as text; the object may have been deleted.
create function uuid_or_null(value text) returns uuid language sql immutable as $$
  select case when value ~ '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$' then value::uuid end
$$;

create function session_days_kept() returns integer language sql immutable as $$select 62$$;

-- Named as in the latest session of the day. Sessions without the id of an object are counted under
-- its name, of which a digest stands for the id.
create function session_key(id text, name text) returns uuid language sql immutable as $$
  select coalesce(uuid_or_null(id), md5(name)::uuid)
$$;

create table setting (
  name text primary key,
  value jsonb not null
);

create table interface_setting (
  only_row boolean primary key default true check (only_row),
  login_title text not null default ''
);

create table interface_picture (
  name text primary key check (name in ('logo_index', 'logo_logout', 'login_image', 'favicon')),
  media_type text not null check (media_type in ('image/png', 'image/svg+xml', 'image/x-icon')),
  digest text not null,
  content bytea not null
);

-- Single-row tables: the license, the key to check it with, the look of the pages.
create table license (
  only_row boolean primary key default true check (only_row),
  content jsonb not null,
  date_imported timestamptz not null default now()
);

create table license_key (
  only_row boolean primary key default true check (only_row),
  public_key text not null
);

-- Exists after the first start, at which an installation issues its own license. Installations with
-- accounts never get one automatically.
create table license_start (
  only_row boolean primary key default true check (only_row),
  date_begun timestamptz not null default now()
);

-- Running servers that share this database, and the address for requests from each other.
create table server (
  -- Same text as session.holder.
  id text primary key,
  host text not null,
  port integer not null,
  date_started timestamptz not null default now(),
  date_seen timestamptz not null default now(),
  -- The server ends its sessions and accepts no new ones.
  is_stopping boolean not null default false
);

-- Host keys of the SSH listener, one per type, shared by all servers.
create table listener_key (
  type text primary key,
  -- Sealed by the vault for this row.
  private_key text not null,
  public_key text not null,
  date_created timestamptz not null default now()
);

-- Jobs as users see them. pg-boss owns the queue in the schema "jobs"; its triggers keep this table
-- in step (platform/jobs).
create table job (
  id uuid primary key,
  name text not null,
  -- Subject in words, such as a file name; never a secret.
  subject text not null default '',
  org_id text not null default '',
  user_id uuid,
  started_by text not null default '',
  state text not null check (state in ('queued', 'running', 'succeeded', 'failed', 'canceled')),
  attempt integer not null default 0,
  done integer not null default 0,
  total integer not null default 0,
  -- Reason of a failure: error code with parameters.
  problem jsonb,
  result jsonb,
  -- The job runs inside a request, not from the queue.
  attached boolean not null default false,
  date_alive timestamptz,
  last_line integer not null default 0,
  date_created timestamptz not null default now(),
  date_started timestamptz,
  date_finished timestamptz,
  search_text text generated always as (lower(name || ' ' || subject || ' ' || started_by)) stored,
  committed boolean not null default false,
  -- Number of objects, such as servers, that failed in a finished job.
  failed integer not null default 0,
  -- Number of skipped objects. A job that skipped all of them did nothing.
  skipped integer not null default 0
);
create index job_created on job (date_created desc, id);
create index job_by_name on job (name, date_created desc);
create index job_by_user on job (user_id, date_created desc);
create index job_by_organization on job (org_id, date_created desc);
create index job_search on job using gin (search_text gin_trgm_ops);

create table job_log (
  job_id uuid references job (id) on delete cascade,
  line integer,
  date timestamptz not null default now(),
  text text not null,
  primary key (job_id, line)
);

-- Jobs that a migration or a restore requests; the next start moves them to the queue.
create table job_request (
  id uuid primary key default gen_random_uuid(),
  name text not null,
  input jsonb not null default 'null',
  start_after timestamptz not null default now(),
  -- A queued job from a backup, with its caller, sealed as it was.
  envelope jsonb
);

-- Sets of ids that a user selected, with an own id (`spm`), for lists, exports and deletions of
-- exactly these objects.
create table resource_set (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null,
  ids uuid[] not null,
  date_expired timestamptz not null,
  -- Objects that other objects reference by name: platforms and storages.
  names text[] not null default '{}'::text[]
);
create index resource_set_expired on resource_set (date_expired);

-- Rows created by an import, so that it can be undone for a while, with the number of references to
-- each at that time.
create table imported_rows (
  id uuid primary key,
  user_id uuid not null,
  org_id text not null,
  resource text not null,
  ids uuid[] not null,
  uses integer[] not null,
  date_expired timestamptz not null,
  -- Nodes created by the import, in order. Undoing it removes the empty ones.
  nodes uuid[] not null default '{}'::uuid[]
);
create index imported_rows_expired on imported_rows (date_expired);
create index imported_rows_user on imported_rows (user_id);

create table pinyin_reading (
  letter text primary key,
  readings text[] not null
);

-- Objects that a user opened from the search, to rank them first. A few hundred per user.
create table search_use (
  user_id uuid,
  kind text,
  object_id uuid,
  times integer not null default 1,
  date_last timestamptz not null default now(),
  primary key (user_id, kind, object_id)
);

-- Keys of this installation for signing and decrypting, by purpose; the private key is sealed.
create table provider_key (
  name text primary key,
  private_key text not null,
  certificate text not null,
  date_created timestamptz not null default now()
);

-- Follows one row of the queue. The server puts the caller into the data of the row; clients
-- cannot.
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

create function pinyin_words(name text) returns text language plpgsql stable strict as $$
declare
  one text;
  found text[];
  was_chinese boolean := true;
  variants text[] := array[''];
begin
  foreach one in array string_to_array(left(lower(name), 24), null) loop
    if one ~ '\s' then
      was_chinese := true;
      continue;
    end if;
    select readings into found from pinyin_reading given where given.letter = one;
    if found is null then
      variants := array(select variant || case when was_chinese then ' =' else '' end || one from unnest(variants) as variant);
    else
      variants := array(
        select variant || ' ' || reading
        from unnest(variants) with ordinality as before (variant, first) cross join unnest(found) with ordinality as next (reading, second)
        order by second, first limit 8);
    end if;
    was_chinese := found is not null;
  end loop;
  return (
    select ' ' || string_agg(distinct word, ' ') from (
      select string_agg(replace(syllable, '=', ''), '' order by place) as whole,
        string_agg(case when syllable like '=%' then substr(syllable, 2) else left(syllable, 1) end, '' order by place) as initials
      from (select row_number() over () as variant, string_to_array(ltrim(variant), ' ') as syllables from unnest(variants) as variant) as read
        cross join generate_subscripts(syllables, 1) as start
        cross join unnest(syllables[start:]) with ordinality as rest (syllable, place)
      group by read.variant, start
    ) as suffix cross join unnest(array[whole, initials]) as word);
end $$;
