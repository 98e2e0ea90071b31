-- A run that sets one stored version of an account on its server again, without a plan.
alter table change_auth_execution add column version_id uuid references asset_user (id) on delete set null;
create index change_auth_execution_version on change_auth_execution (version_id) where version_id is not null;
