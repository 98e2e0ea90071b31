-- A chain by itself can be worked out anew by whoever has the database. A seal says where a log stood, under a key that is not in the database: what was
-- sealed can be neither rewritten nor cut off without being noticed. One seal is kept for each hundred rows, the newest of them also beside the server.
create table audit_seal (
  log text not null,
  block bigint not null,
  sequence bigint not null,
  digest bytea not null,
  removed_sequence bigint not null,
  removed_digest bytea not null,
  seal text not null,
  date_sealed timestamptz not null default now(),
  primary key (log, block)
);

-- Checking is done by the program with its own words: a function that stands in the database can be replaced there.
drop function audit_first_break(text);
