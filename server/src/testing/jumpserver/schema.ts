/**
 * Tables of JumpServer that an import reads, after its public models: only the columns that matter
 * here. Types exist in PostgreSQL and, with `uuid` written as `char(32)`, in MySQL.
 */
const links = (table: string, one: string, other: string) =>
  `create table ${table} (id serial primary key, ${one} uuid, ${other} uuid);`;

const PEOPLE = `
create table orgs_organization (id uuid primary key, name varchar(128), comment varchar(128));
create table users_usergroup (id uuid primary key, org_id varchar(36) default '', name varchar(128),
  comment text);
${links('users_user_groups', 'user_id', 'usergroup_id')}
create table assets_node (id uuid primary key, org_id varchar(36) default '', "key" varchar(64),
  value varchar(128));
create table assets_domain (id uuid primary key, org_id varchar(36) default '', name varchar(128),
  comment text);
${links('assets_asset_nodes', 'asset_id', 'node_id')}
${links('perms_assetpermission_users', 'assetpermission_id', 'user_id')}
${links('perms_assetpermission_user_groups', 'assetpermission_id', 'usergroup_id')}
${links('perms_assetpermission_assets', 'assetpermission_id', 'asset_id')}
${links('perms_assetpermission_nodes', 'assetpermission_id', 'node_id')}`;

const USER = `id uuid primary key, username varchar(128), name varchar(128), email varchar(128),
  password varchar(128), is_active boolean default true, date_expired timestamp,
  mfa_level smallint default 0, otp_secret_key varchar(256), public_key text, phone varchar(128),
  wechat varchar(128), comment text, source varchar(30) default 'local',
  date_password_last_updated timestamp`;

const PERMISSION = `id uuid primary key, org_id varchar(36) default '', name varchar(128),
  is_active boolean default true, date_start timestamp, date_expired timestamp, comment text,
  actions integer default 255`;

const SECRETS = 'username varchar(128), password varchar(256), private_key text, public_key text';

const history = (account: string) => `
create table terminal_session (id uuid primary key, org_id varchar(36) default '',
  "user" varchar(128), user_id varchar(36) default '', asset varchar(1024),
  asset_id varchar(36) default '', "${account}" varchar(128), ${account}_id varchar(36) default '',
  login_from varchar(2) default 'ST', remote_addr varchar(128), is_success boolean default true,
  is_finished boolean default true, has_replay boolean default false,
  protocol varchar(16) default 'ssh', date_start timestamp, date_end timestamp);
create table terminal_command (id uuid primary key, org_id varchar(36) default '',
  "user" varchar(64), asset varchar(128), "${account}" varchar(64), input varchar(128),
  output varchar(1024), session varchar(36), risk_level smallint default 0, "timestamp" integer);`;

/** The schema of versions 2.1 to 2.12. */
export const VERSION_2 = `${PEOPLE}${history('system_user')}
create table users_user (${USER}, role varchar(10) default 'User');
${links('orgs_organization_users', 'organization_id', 'user_id')}
${links('orgs_organization_admins', 'organization_id', 'user_id')}
${links('orgs_organization_auditors', 'organization_id', 'user_id')}
create table assets_platform (id serial primary key, name varchar(128), base varchar(16),
  charset varchar(8) default 'utf8', meta json, internal boolean default false, comment text);
create table assets_gateway (id uuid primary key, org_id varchar(36) default '', name varchar(128),
  ip varchar(128), port integer, protocol varchar(16) default 'ssh', domain_id uuid,
  is_active boolean default true, comment varchar(128), ${SECRETS});
create table assets_adminuser (id uuid primary key, org_id varchar(36) default '',
  name varchar(128), comment text, ${SECRETS});
create table assets_systemuser (id uuid primary key, org_id varchar(36) default '',
  name varchar(128), protocol varchar(16) default 'ssh', login_mode varchar(10) default 'auto',
  priority integer default 20, username_same_with_user boolean default false,
  auto_push boolean default true, sudo text, shell varchar(64), sftp_root varchar(128),
  comment text, ${SECRETS});
${links('assets_systemuser_cmd_filters', 'systemuser_id', 'commandfilter_id')}
create table assets_asset (id uuid primary key, org_id varchar(36) default '',
  hostname varchar(128), ip varchar(128), protocol varchar(16) default 'ssh',
  port integer default 22, protocols varchar(128) default '', is_active boolean default true,
  public_ip varchar(128), number varchar(32), comment varchar(128), platform_id integer,
  domain_id uuid, admin_user_id uuid);
create table assets_authbook (id uuid primary key, org_id varchar(36) default '', asset_id uuid,
  is_latest boolean default true, version integer default 1, comment text, ${SECRETS});
create table assets_commandfilter (id uuid primary key, org_id varchar(36) default '',
  name varchar(64), is_active boolean default true, comment text);
create table assets_commandfilterrule (id uuid primary key, org_id varchar(36) default '',
  filter_id uuid, type varchar(16) default 'command', priority integer default 50, content text,
  action integer default 0, comment varchar(64));
create table perms_assetpermission (${PERMISSION});
${links('perms_assetpermission_system_users', 'assetpermission_id', 'systemuser_id')}`;

/** The schema of versions 3.x and 4.x. */
export const VERSION_3 = `${PEOPLE}${history('account')}
create table users_user (${USER}, is_service_account boolean default false);
create table rbac_rolebinding (id uuid primary key, scope varchar(128), role_id uuid, user_id uuid,
  org_id varchar(36));
create table authentication_sshkey (id uuid primary key, user_id uuid, name varchar(128),
  public_key text, is_active boolean default true);
create table assets_platform (id serial primary key, name varchar(50), category varchar(32),
  type varchar(32), charset varchar(8) default 'utf-8', internal boolean default false);
create table assets_asset (id uuid primary key, org_id varchar(36) default '', name varchar(128),
  address varchar(767), is_active boolean default true, comment text, platform_id integer,
  domain_id uuid);
create table assets_protocol (id serial primary key, name varchar(32), port integer, asset_id uuid);
create table accounts_account (id uuid primary key, org_id varchar(36) default '',
  name varchar(128), username varchar(128), secret_type varchar(16) default 'password',
  _secret text, is_active boolean default true, privileged boolean default false, asset_id uuid);
create table perms_assetpermission (${PERMISSION}, accounts json, protocols json);
create table acls_commandgroup (id uuid primary key, org_id varchar(36) default '',
  name varchar(128), type varchar(16), content text, ignore_case boolean default true);
create table acls_commandfilteracl (id uuid primary key, org_id varchar(36) default '',
  name varchar(128), priority integer default 50, action varchar(64),
  is_active boolean default true,
  comment text, users json, assets json, accounts json);
${links('acls_commandfilteracl_command_groups', 'commandfilteracl_id', 'commandgroup_id')}`;
