-- How the last verification of the audit logs ended, with a seal: a row that this installation did not write counts for nothing.
create table audit_verification (
  only_row boolean primary key default true check (only_row),
  date_verified timestamptz not null,
  intact boolean not null,
  verified_by text not null default '',
  seal text not null
);
