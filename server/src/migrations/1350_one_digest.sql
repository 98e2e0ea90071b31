-- A session that another server ended for its dead holder. The holder proves it when it returns with
-- its journal and its recording. Until then the session has no digest.
alter table session add column awaits_holder boolean not null default false;
create index session_awaits_holder on session (holder) where awaits_holder;

-- Digests that an earlier version wrote before their session ended, as the repair at the first start
-- of this version found them. Sealed, so that a writer of the database cannot declare others.
create table session_repair (
  session uuid primary key,
  sequences bigint[] not null,
  date_repaired timestamptz not null default now(),
  seal text not null
);

-- Empty once the repair has run.
create table session_repair_pending (
  only_row boolean primary key default true check (only_row)
);
insert into session_repair_pending default values;

-- One digest for each session, after its end. A later row repeats its facts and adds what the first
-- one did not know about the recording: its content, or that it was discarded.
create function session_digest_admit() returns trigger language plpgsql as $$
begin
  if not exists (select from session where id = new.session and is_finished) then
    raise exception 'a session that has not ended gets no digest' using errcode = 'check_violation';
  end if;
  if exists (
    select from session_digest d where d.session = new.session
      and not exists (select from session_repair r
        where r.session = d.session and d.sequence = any (r.sequences))
      and (new.recording_sha256 is null or d.facts_sha256 <> new.facts_sha256
        or d.recording_sha256 = 'discarded'
        or d.recording_sha256 is not null and new.recording_sha256 <> 'discarded'))
  then
    raise exception 'the session has its digest already' using errcode = 'check_violation';
  end if;
  return new;
end $$;
-- Runs before the trigger "append", which moves the head of the chain.
create trigger admit before insert on session_digest for each row
  execute function session_digest_admit();
