-- The logs can only grow, and each row carries a digest over itself and the row before it: what is changed, removed or put in between
-- later no longer fits.
create table password_change_log (
  id uuid primary key default gen_random_uuid(),
  "user" text not null,
  user_id uuid,
  change_by text not null,
  remote_addr text not null,
  datetime timestamptz not null default now(),
  search_text text generated always as (lower("user" || E'\n' || change_by || E'\n' || remote_addr)) stored
);
create index password_change_log_datetime on password_change_log (datetime desc);
create index password_change_log_search on password_change_log using gin (search_text gin_trgm_ops);

-- Where each chain stands: the last row, and the last row that was removed because it had been kept long enough.
create table audit_chain (
  log text primary key,
  sequence bigint not null default 0,
  digest bytea not null default '\x',
  removed_sequence bigint not null default 0,
  removed_digest bytea not null default '\x'
);
insert into audit_chain (log) values ('operate_log'), ('login_log'), ('password_change_log');

alter table operate_log add column sequence bigint, add column digest bytea;
alter table login_log add column sequence bigint, add column digest bytea;
alter table password_change_log add column sequence bigint, add column digest bytea;

-- The text of a row that is digested: every column but the digest and what is derived. Dates are written in one zone for everybody.
create function audit_text(line jsonb) returns text language sql immutable set timezone = 'UTC' as $$
  select (line - 'digest' - 'search_text')::text
$$;

create function audit_append() returns trigger language plpgsql set timezone = 'UTC' as $$
declare
  head audit_chain;
begin
  -- Writers of one log wait here for each other; the entry is the last thing a change does, so the wait is short.
  select * into strict head from audit_chain where log = tg_table_name for update;
  new.sequence = head.sequence + 1;
  new.digest = sha256(head.digest || convert_to(audit_text(to_jsonb(new)), 'UTF8'));
  update audit_chain set sequence = new.sequence, digest = new.digest where log = tg_table_name;
  return new;
end $$;

-- Rows that are there already begin the chains.
do $$
declare
  name text;
  line record;
  previous bytea;
  counted bigint;
begin
  foreach name in array array['operate_log', 'login_log'] loop
    previous = '\x';
    counted = 0;
    for line in execute format('select id from %I order by datetime, id', name) loop
      counted = counted + 1;
      execute format('update %I set sequence = $1 where id = $2', name) using counted, line.id;
      execute format('update %I t set digest = sha256($1 || convert_to(audit_text(to_jsonb(t)), ''UTF8'')) where id = $2 returning digest', name) into previous using previous, line.id;
    end loop;
    update audit_chain set sequence = counted, digest = previous where log = name;
  end loop;
end $$;

alter table operate_log alter column sequence set not null, alter column digest set not null;
alter table login_log alter column sequence set not null, alter column digest set not null;
alter table password_change_log alter column sequence set not null, alter column digest set not null;
create unique index operate_log_sequence on operate_log (sequence);
create unique index login_log_sequence on login_log (sequence);
create unique index password_change_log_sequence on password_change_log (sequence);

create function audit_refuse() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and current_setting('sallyport.retention', true) = 'on' then
    return old;
  end if;
  raise exception 'the audit logs can only grow' using errcode = 'insufficient_privilege';
end $$;

create trigger append before insert on operate_log for each row execute function audit_append();
create trigger append before insert on login_log for each row execute function audit_append();
create trigger append before insert on password_change_log for each row execute function audit_append();
create trigger refuse before update or delete on operate_log for each row execute function audit_refuse();
create trigger refuse before update or delete on login_log for each row execute function audit_refuse();
create trigger refuse before update or delete on password_change_log for each row execute function audit_refuse();
create trigger refuse_all before truncate on operate_log for each statement execute function audit_refuse();
create trigger refuse_all before truncate on login_log for each statement execute function audit_refuse();
create trigger refuse_all before truncate on password_change_log for each statement execute function audit_refuse();

-- Removes what is older than a moment from the beginning of a log and remembers where the chain goes on. Returns how many rows went.
create function audit_forget(name text, before timestamptz) returns bigint language plpgsql as $$
declare
  last_sequence bigint;
  last_digest bytea;
  gone bigint;
begin
  perform 1 from audit_chain where log = name for update;
  -- Only a beginning goes: everything before the first row that is young enough.
  execute format('select coalesce(min(sequence), (select sequence + 1 from audit_chain where log = %L)) - 1 from %I where datetime >= $1', name, name) into last_sequence using before;
  execute format('select digest from %I where sequence = $1', name) into last_digest using last_sequence;
  if last_digest is null then
    return 0;
  end if;
  perform set_config('sallyport.retention', 'on', true);
  execute format('delete from %I where sequence <= $1', name) using last_sequence;
  get diagnostics gone = row_count;
  perform set_config('sallyport.retention', 'off', true);
  update audit_chain set removed_sequence = last_sequence, removed_digest = last_digest where log = name;
  return gone;
end $$;

-- The first place where a chain does not hold; null when it holds to its end.
create function audit_first_break(name text) returns bigint language plpgsql set timezone = 'UTC' as $$
declare
  head audit_chain;
  broken bigint;
  last_sequence bigint;
  last_digest bytea;
begin
  select * into strict head from audit_chain where log = name for share;
  execute format($query$
    select min(case when previous_sequence + 1 <> sequence then previous_sequence + 1 else sequence end) from (
      select t.sequence, t.digest,
        lag(t.sequence, 1, $1) over chain as previous_sequence,
        sha256(lag(t.digest, 1, $2) over chain || convert_to(audit_text(to_jsonb(t)), 'UTF8')) as expected
      from %I t window chain as (order by t.sequence)
    ) walked where previous_sequence + 1 <> sequence or digest <> expected $query$, name) into broken using head.removed_sequence, head.removed_digest;
  if broken is not null then
    return broken;
  end if;
  execute format('select sequence, digest from %I order by sequence desc limit 1', name) into last_sequence, last_digest;
  if coalesce(last_sequence, head.removed_sequence) <> head.sequence or coalesce(last_digest, head.removed_digest) <> head.digest then
    return coalesce(last_sequence, head.removed_sequence) + 1;
  end if;
  return null;
end $$;
