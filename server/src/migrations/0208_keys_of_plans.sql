-- Plans change keys as well, beside the password or in its place.
alter table change_auth_plan drop constraint change_auth_plan_password_strategy_check;
alter table change_auth_plan add constraint change_auth_plan_password_strategy_check check (password_strategy in ('custom', 'random_one', 'random_all', 'keep'));
alter table change_auth_plan add column key_strategy text not null default 'keep' check (key_strategy in ('keep', 'custom', 'random_one', 'random_all'));
-- Sealed; of the strategy "custom" only.
alter table change_auth_plan add column private_key text;
alter table change_auth_execution add column key_strategy text not null default 'keep';
-- The one key of the strategy "random_one", sealed, while the run is not over.
alter table change_auth_execution add column private_key text;
-- What the new secret of a subtask is.
alter table change_auth_subtask add column pending_kind text not null default 'password' check (pending_kind in ('password', 'key'));
