-- News for one user: requests, decisions, emergencies, failed jobs, ended access.
create table notification (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references account (id) on delete cascade,
  -- Organization of the object.
  org_id text not null default '',
  kind text not null check (kind in ('ticket_asked', 'ticket_approved', 'ticket_rejected',
    'ticket_closed', 'emergency_opened', 'emergency_ended', 'access_ends', 'access_ended',
    'job_failed')),
  -- The object in words, and the user whose act it was.
  subject text not null default '',
  by_name text not null default '',
  resource text not null,
  resource_id text not null,
  is_read boolean not null default false,
  date_created timestamptz not null default now(),
  search_text text generated always as (lower(subject || E'\n' || by_name)) stored
);
create index notification_user on notification (user_id, date_created desc, id);
create index notification_unread on notification (user_id) where not is_read;
create index notification_search on notification using gin (search_text gin_trgm_ops);

-- Adds a notification for each user, and announces them at commit. Keeps at most 200 per user, for
-- 90 days.
create function notify_users(people uuid[], news text, about text, author text, object text,
  object_id text, organization text) returns void language plpgsql as $$
declare
  ids uuid[];
begin
  with written as (
    insert into public.notification (user_id, kind, subject, by_name, resource, resource_id, org_id)
      select a.id, news, left(about, 256), left(author, 260), object, object_id, organization
      from public.account a where a.id = any (people) returning id
  ) select array_agg(id) into ids from written;
  if ids is null then
    return;
  end if;
  delete from public.notification n where n.user_id = any (people)
    and (n.date_created < now() - interval '90 days' or n.id in (
      select ranked.id from (select o.id, row_number() over (partition by o.user_id
          order by o.date_created desc, o.id) as place
        from public.notification o where o.user_id = any (people)) ranked where ranked.place > 200));
  -- A notification of PostgreSQL has at most 8,000 bytes.
  perform pg_notify('changes', json_build_object('organization', organization, 'resource',
    'notification', 'ids', case when cardinality(ids) <= 100 then ids end)::text);
end $$;

-- Users hear of their background jobs that failed, or failed on some objects. The answer of a
-- request says it of attached jobs.
create function notify_failed_job() returns trigger language plpgsql as $$
begin
  perform public.notify_users(array[new.user_id], 'job_failed', coalesce(nullif(new.subject, ''), new.name),
    '', 'job', new.id::text, new.org_id);
  return null;
end $$;
create trigger job_failed after update of state on job for each row
  when (old.state in ('queued', 'running') and new.user_id is not null and not new.attached
    and (new.state = 'failed' or (new.state = 'succeeded' and new.failed > 0)))
  execute function notify_failed_job();

-- When the requester or the reviewers were told that the access ended. Earlier ends are not news.
alter table ticket_asset_request add column date_told timestamptz;
alter table emergency_activation add column date_told timestamptz;
update ticket_asset_request set date_told = now() where date_expired <= now();
update emergency_activation set date_told = now() where date_expired <= now();
