-- What was done with files on assets: one entry for each upload, download and change, chained like the other logs.
create table ftp_log (
  id uuid primary key default gen_random_uuid(),
  org_id text not null default '',
  "user" text not null,
  user_id uuid,
  remote_addr text not null,
  asset text not null,
  asset_id uuid,
  "system_user" text not null,
  system_user_id uuid,
  account text not null default '',
  session uuid,
  operate text not null,
  filename text not null,
  size bigint,
  sha256 text,
  is_success boolean not null,
  reason text not null default '',
  date_start timestamptz not null default now(),
  -- The date by which logs are shortened; clients know it as `date_start`.
  datetime timestamptz not null default now(),
  search_text text generated always as (lower("user" || E'\n' || asset || E'\n' || "system_user" || E'\n' || remote_addr || E'\n' || filename)) stored,
  sequence bigint not null,
  digest bytea not null
);
create index ftp_log_date on ftp_log (org_id, date_start desc);
create index ftp_log_search on ftp_log using gin (search_text gin_trgm_ops);
create unique index ftp_log_sequence on ftp_log (sequence);
insert into audit_chain (log) values ('ftp_log');
create trigger append before insert on ftp_log for each row execute function audit_append();
create trigger append_begin before insert on ftp_log for each statement execute function audit_begin();
create trigger append_end after insert on ftp_log for each statement execute function audit_end();
create trigger refuse before update or delete on ftp_log for each row execute function audit_refuse();
create trigger refuse_all before truncate on ftp_log for each statement execute function audit_refuse();
revoke update, delete, truncate on ftp_log from public, current_user;
