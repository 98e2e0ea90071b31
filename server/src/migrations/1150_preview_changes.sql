-- Accounts of databases: show the rows that an UPDATE or DELETE affects before it runs.
alter table system_account add column preview_changes boolean not null default false;
