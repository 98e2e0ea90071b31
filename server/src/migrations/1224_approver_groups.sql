-- User groups whose members review connections, next to single users.
create table asset_permission_approver_groups (
  asset_permission_id uuid references asset_permission (id) on delete cascade,
  user_group_id uuid references user_group (id) on delete cascade,
  id bigint unique generated always as identity,
  primary key (asset_permission_id, user_group_id)
);
create index asset_permission_approver_groups_group
  on asset_permission_approver_groups (user_group_id);
create table remote_app_permission_approver_groups (
  remote_app_permission_id uuid references remote_app_permission (id) on delete cascade,
  user_group_id uuid references user_group (id) on delete cascade,
  id bigint unique generated always as identity,
  primary key (remote_app_permission_id, user_group_id)
);
create index remote_app_permission_approver_groups_group
  on remote_app_permission_approver_groups (user_group_id);
create table database_app_permission_approver_groups (
  database_app_permission_id uuid references database_app_permission (id) on delete cascade,
  user_group_id uuid references user_group (id) on delete cascade,
  id bigint unique generated always as identity,
  primary key (database_app_permission_id, user_group_id)
);
create index database_app_permission_approver_groups_group
  on database_app_permission_approver_groups (user_group_id);

create trigger change_control before insert or update or delete on asset_permission_approver_groups
  for each row execute function guard_change('asset_permission', 'asset_permission_id', 'user_group', 'user_group_id');
create trigger change_control before insert or update or delete on remote_app_permission_approver_groups
  for each row execute function guard_change('remote_app_permission', 'remote_app_permission_id', 'user_group', 'user_group_id');
create trigger change_control before insert or update or delete on database_app_permission_approver_groups
  for each row execute function guard_change('database_app_permission', 'database_app_permission_id', 'user_group', 'user_group_id');
-- Other reviewers may watch from now on: sessions check theirs again.
create trigger grants_moved after insert or delete or update or truncate on asset_permission_approver_groups
  for each statement execute function grant_version_moved();

-- The users and user groups that decide on a ticket of the server. A decision checks them again:
-- the assignees are those of the moment of the question.
create table ticket_stage (
  ticket_id uuid references ticket (id) on delete cascade,
  stage smallint check (stage between 1 and 3),
  org_id text not null,
  user_ids uuid[] not null,
  group_ids uuid[] not null,
  primary key (ticket_id, stage)
);
