-- Permissions whose connections wait for a reviewer; the approval is valid for these minutes, or
-- once (0).
alter table asset_permission
  add column needs_approval boolean not null default false,
  add column approval_minutes integer not null default 0
    check (approval_minutes >= 0 and approval_minutes <= 1440);
alter table remote_app_permission
  add column needs_approval boolean not null default false,
  add column approval_minutes integer not null default 0
    check (approval_minutes >= 0 and approval_minutes <= 1440);
alter table database_app_permission
  add column needs_approval boolean not null default false,
  add column approval_minutes integer not null default 0
    check (approval_minutes >= 0 and approval_minutes <= 1440);

create table asset_permission_approvers (
  asset_permission_id uuid references asset_permission (id) on delete cascade,
  user_id uuid references account (id) on delete cascade,
  id bigint unique generated always as identity,
  primary key (asset_permission_id, user_id)
);
create index asset_permission_approvers_user on asset_permission_approvers (user_id);
create table remote_app_permission_approvers (
  remote_app_permission_id uuid references remote_app_permission (id) on delete cascade,
  user_id uuid references account (id) on delete cascade,
  id bigint unique generated always as identity,
  primary key (remote_app_permission_id, user_id)
);
create index remote_app_permission_approvers_user on remote_app_permission_approvers (user_id);
create table database_app_permission_approvers (
  database_app_permission_id uuid references database_app_permission (id) on delete cascade,
  user_id uuid references account (id) on delete cascade,
  id bigint unique generated always as identity,
  primary key (database_app_permission_id, user_id)
);
create index database_app_permission_approvers_user on database_app_permission_approvers (user_id);

alter table ticket
  drop constraint ticket_type_check,
  add constraint ticket_type_check check (
    type in ('general', 'login_confirm', 'request_asset', 'request_app', 'emergency', 'held_command',
      'connection'));
-- Connections that reviewers decide on, with their tickets.
create table connection_approval (
  ticket_id uuid primary key references ticket (id) on delete cascade,
  user_id uuid not null references account (id) on delete cascade,
  target_id uuid not null,
  system_user_id uuid not null,
  minutes integer not null,
  date_expires timestamptz not null,
  date_approved timestamptz
);
create index connection_approval_user on connection_approval (user_id, target_id, system_user_id);
