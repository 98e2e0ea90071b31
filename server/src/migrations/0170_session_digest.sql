-- What a session left when it ended: digests of its recording, and of its row with its commands. Chained and append-only like the logs, so that a recording
-- or a command that is changed later no longer fits. Retention removes the beginning of this table first and the sessions after it.
create table session_digest (
  id uuid primary key default gen_random_uuid(),
  session uuid not null,
  -- Of the facts of the session and of its commands; see `features/terminal/session-digest.ts`.
  facts_sha256 text not null,
  -- Of the recording as it is kept, compressed; absent when there is none.
  recording_size bigint,
  recording_sha256 text,
  datetime timestamptz not null default now(),
  sequence bigint not null,
  digest bytea not null
);
create index session_digest_session on session_digest (session);
create index session_digest_datetime on session_digest (datetime);
create unique index session_digest_sequence on session_digest (sequence);
insert into audit_chain (log) values ('session_digest');
create trigger append before insert on session_digest for each row execute function audit_append();
create trigger append_begin before insert on session_digest for each statement execute function audit_begin();
create trigger append_end after insert on session_digest for each statement execute function audit_end();
create trigger refuse before update or delete on session_digest for each row execute function audit_refuse();
create trigger refuse_all before truncate on session_digest for each statement execute function audit_refuse();
revoke update, delete, truncate on session_digest from public, current_user;
