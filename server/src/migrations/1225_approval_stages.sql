-- Approvals in up to three stages. Without named reviewers, administrators decide a stage.
alter table asset_permission
  add column approval_stages integer not null default 1
    check (approval_stages >= 1 and approval_stages <= 3);
alter table remote_app_permission
  add column approval_stages integer not null default 1
    check (approval_stages >= 1 and approval_stages <= 3);
alter table database_app_permission
  add column approval_stages integer not null default 1
    check (approval_stages >= 1 and approval_stages <= 3);

create table asset_permission_second_approvers (
  asset_permission_id uuid references asset_permission (id) on delete cascade,
  user_id uuid references account (id) on delete cascade,
  id bigint unique generated always as identity,
  primary key (asset_permission_id, user_id)
);
create index asset_permission_second_approvers_user
  on asset_permission_second_approvers (user_id);
create table asset_permission_second_approver_groups (
  asset_permission_id uuid references asset_permission (id) on delete cascade,
  user_group_id uuid references user_group (id) on delete cascade,
  id bigint unique generated always as identity,
  primary key (asset_permission_id, user_group_id)
);
create index asset_permission_second_approver_groups_group
  on asset_permission_second_approver_groups (user_group_id);
create table asset_permission_third_approvers (
  asset_permission_id uuid references asset_permission (id) on delete cascade,
  user_id uuid references account (id) on delete cascade,
  id bigint unique generated always as identity,
  primary key (asset_permission_id, user_id)
);
create index asset_permission_third_approvers_user
  on asset_permission_third_approvers (user_id);
create table asset_permission_third_approver_groups (
  asset_permission_id uuid references asset_permission (id) on delete cascade,
  user_group_id uuid references user_group (id) on delete cascade,
  id bigint unique generated always as identity,
  primary key (asset_permission_id, user_group_id)
);
create index asset_permission_third_approver_groups_group
  on asset_permission_third_approver_groups (user_group_id);
create table remote_app_permission_second_approvers (
  remote_app_permission_id uuid references remote_app_permission (id) on delete cascade,
  user_id uuid references account (id) on delete cascade,
  id bigint unique generated always as identity,
  primary key (remote_app_permission_id, user_id)
);
create index remote_app_permission_second_approvers_user
  on remote_app_permission_second_approvers (user_id);
create table remote_app_permission_second_approver_groups (
  remote_app_permission_id uuid references remote_app_permission (id) on delete cascade,
  user_group_id uuid references user_group (id) on delete cascade,
  id bigint unique generated always as identity,
  primary key (remote_app_permission_id, user_group_id)
);
create index remote_app_permission_second_approver_groups_group
  on remote_app_permission_second_approver_groups (user_group_id);
create table remote_app_permission_third_approvers (
  remote_app_permission_id uuid references remote_app_permission (id) on delete cascade,
  user_id uuid references account (id) on delete cascade,
  id bigint unique generated always as identity,
  primary key (remote_app_permission_id, user_id)
);
create index remote_app_permission_third_approvers_user
  on remote_app_permission_third_approvers (user_id);
create table remote_app_permission_third_approver_groups (
  remote_app_permission_id uuid references remote_app_permission (id) on delete cascade,
  user_group_id uuid references user_group (id) on delete cascade,
  id bigint unique generated always as identity,
  primary key (remote_app_permission_id, user_group_id)
);
create index remote_app_permission_third_approver_groups_group
  on remote_app_permission_third_approver_groups (user_group_id);
create table database_app_permission_second_approvers (
  database_app_permission_id uuid references database_app_permission (id) on delete cascade,
  user_id uuid references account (id) on delete cascade,
  id bigint unique generated always as identity,
  primary key (database_app_permission_id, user_id)
);
create index database_app_permission_second_approvers_user
  on database_app_permission_second_approvers (user_id);
create table database_app_permission_second_approver_groups (
  database_app_permission_id uuid references database_app_permission (id) on delete cascade,
  user_group_id uuid references user_group (id) on delete cascade,
  id bigint unique generated always as identity,
  primary key (database_app_permission_id, user_group_id)
);
create index database_app_permission_second_approver_groups_group
  on database_app_permission_second_approver_groups (user_group_id);
create table database_app_permission_third_approvers (
  database_app_permission_id uuid references database_app_permission (id) on delete cascade,
  user_id uuid references account (id) on delete cascade,
  id bigint unique generated always as identity,
  primary key (database_app_permission_id, user_id)
);
create index database_app_permission_third_approvers_user
  on database_app_permission_third_approvers (user_id);
create table database_app_permission_third_approver_groups (
  database_app_permission_id uuid references database_app_permission (id) on delete cascade,
  user_group_id uuid references user_group (id) on delete cascade,
  id bigint unique generated always as identity,
  primary key (database_app_permission_id, user_group_id)
);
create index database_app_permission_third_approver_groups_group
  on database_app_permission_third_approver_groups (user_group_id);

create trigger change_control before insert or update or delete on asset_permission_second_approvers
  for each row execute function guard_change('asset_permission', 'asset_permission_id', 'account', 'user_id');
create trigger change_control before insert or update or delete on asset_permission_second_approver_groups
  for each row execute function guard_change('asset_permission', 'asset_permission_id', 'user_group', 'user_group_id');
create trigger change_control before insert or update or delete on asset_permission_third_approvers
  for each row execute function guard_change('asset_permission', 'asset_permission_id', 'account', 'user_id');
create trigger change_control before insert or update or delete on asset_permission_third_approver_groups
  for each row execute function guard_change('asset_permission', 'asset_permission_id', 'user_group', 'user_group_id');
create trigger change_control before insert or update or delete on remote_app_permission_second_approvers
  for each row execute function guard_change('remote_app_permission', 'remote_app_permission_id', 'account', 'user_id');
create trigger change_control before insert or update or delete on remote_app_permission_second_approver_groups
  for each row execute function guard_change('remote_app_permission', 'remote_app_permission_id', 'user_group', 'user_group_id');
create trigger change_control before insert or update or delete on remote_app_permission_third_approvers
  for each row execute function guard_change('remote_app_permission', 'remote_app_permission_id', 'account', 'user_id');
create trigger change_control before insert or update or delete on remote_app_permission_third_approver_groups
  for each row execute function guard_change('remote_app_permission', 'remote_app_permission_id', 'user_group', 'user_group_id');
create trigger change_control before insert or update or delete on database_app_permission_second_approvers
  for each row execute function guard_change('database_app_permission', 'database_app_permission_id', 'account', 'user_id');
create trigger change_control before insert or update or delete on database_app_permission_second_approver_groups
  for each row execute function guard_change('database_app_permission', 'database_app_permission_id', 'user_group', 'user_group_id');
create trigger change_control before insert or update or delete on database_app_permission_third_approvers
  for each row execute function guard_change('database_app_permission', 'database_app_permission_id', 'account', 'user_id');
create trigger change_control before insert or update or delete on database_app_permission_third_approver_groups
  for each row execute function guard_change('database_app_permission', 'database_app_permission_id', 'user_group', 'user_group_id');

-- The users who were asked about a stage, and the decision. A user decides one stage of a ticket.
alter table ticket_stage
  add column asked_ids uuid[] not null default '{}',
  add column decided_by uuid,
  add column decided_name text not null default '',
  add column date_decided timestamptz,
  add constraint ticket_stage_decider unique (ticket_id, decided_by);
