-- Accounts of databases: ask before a statement affects every row, and how transactions start in the workspace.
alter table system_account add column confirm_all_rows boolean not null default true;
alter table system_account add column autocommit boolean not null default true;
