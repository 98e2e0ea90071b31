-- Statements about the ends of all audit logs, which an authority outside of the installation signs
-- with the time (RFC 3161). Each names the digest of the statement before it.
create table audit_witness (
  id bigint generated always as identity primary key,
  statement text not null,
  date_requested timestamptz not null default now(),
  -- Null: the authority has not signed yet.
  token bytea,
  -- Time in the token.
  date_witnessed timestamptz,
  authority text not null default '',
  -- Why the last request failed.
  problem text not null default ''
);
create index audit_witness_waiting on audit_witness (id) where (token is null);
create trigger refuse before update on audit_witness for each row when (old.token is not null)
  execute function audit_refuse();
create trigger refuse_delete before delete on audit_witness for each row
  execute function audit_refuse();
create trigger refuse_all before truncate on audit_witness for each statement
  execute function audit_refuse();
