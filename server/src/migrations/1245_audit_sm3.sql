-- Digests of the audit logs by SM3, next to the SHA-256 of each row. The server writes them before
-- it seals a log: PostgreSQL has no SM3. The first row of a log is the anchor, which takes over the
-- SHA-256 of that row; each later digest covers the one before it and the text of its row.
create table audit_sm3 (
  log text,
  sequence bigint,
  digest bytea not null,
  primary key (log, sequence)
);
create trigger refuse before update on audit_sm3 for each row execute function audit_refuse();
create trigger refuse_all before truncate on audit_sm3 for each statement
  execute function audit_refuse();

-- The end of the SM3 digests at the sealed row, with a seal over it. Null without SM3.
alter table audit_seal add sm3 jsonb;
