import type { FirstNames } from '../../api/api.ts';
import {
  boolean,
  computed,
  countOf,
  createdAt,
  createdBy,
  datetime,
  flags,
  id,
  integer,
  many,
  organizationFields,
  text,
} from '../../kit/field.ts';
import { defineResource } from '../../kit/resource.ts';
import { Permission } from '../../roles.ts';
import { LABEL } from '../labels.ts';
import { approvalFields } from './approval-fields.ts';
import { ACTIONS } from './asset-permission.ts';
import { conditionFields } from './condition-fields.ts';
import { validityField } from './validity-field.ts';

/** List parameters of all kinds of permissions. */
export const APP_PARAMETERS = [
  'attention',
  'is_valid',
  'user_id',
  'username',
  'user_group_id',
  'user_group',
  'system_user_id',
  'system_user',
] as const;
/** Access to all kinds of application permissions. */
export const APP_RULE_ACCESS = {
  read: Permission.ADMIN,
  create: Permission.ADMIN,
  update: Permission.ADMIN,
  delete: Permission.ADMIN,
};

/** Fields of a permission besides its applications. */
export const appRuleTerms = () => ({
  id: id(),
  name: text({
    label: LABEL.name,
    max: 128,
    unique: 'org',
    search: true,
    order: true,
    filter: true,
  }),
  is_active: boolean({
    label: { en: 'Active', zh: '激活中' },
    defaultValue: true,
    filter: true,
  }),
  is_expired: computed.boolean({
    label: { en: 'Expired', zh: '已过期' },
    example: false,
    yesMeans: 'care',
  }),
  is_valid: computed.boolean({ label: { en: 'Validity', zh: '有效' } }),
  validity: validityField(),
  ...conditionFields(),
  ...approvalFields(),
  created_by: createdBy(),
  date_created: createdAt(),
  date_expired: datetime({
    label: { en: 'Date expired', zh: '失效日期' },
    defaultValue: 'never',
    order: true,
  }),
  date_start: datetime({
    label: { en: 'Date start', zh: '开始日期' },
    defaultValue: 'now',
    order: true,
  }),
  comment: text({ label: LABEL.comment, required: false, multiline: true, defaultValue: '' }),
  users: many({ label: LABEL.users, to: 'user', required: false }),
  user_groups: many({
    label: { en: 'User groups', zh: '用户组' },
    to: 'user_group',
    required: false,
  }),
  system_users: many({
    label: { en: 'System users', zh: '系统用户' },
    to: 'system_user',
    required: true,
    minItems: 1,
  }),
  first_names: computed.json<FirstNames>({
    label: { en: 'First names', zh: '首个名称' },
    example: {},
  }),
  users_amount: countOf('users', { en: 'Users', zh: '用户数量' }),
  user_groups_amount: countOf('user_groups', { en: 'User groups', zh: '用户组数量' }),
  system_users_amount: countOf('system_users', { en: 'System users', zh: '系统用户数量' }),
});

/** Grants remote apps to users, with system users. */
export const remoteAppPermission = defineResource({
  name: 'remote_app_permission',
  path: 'perms/remote-app-permissions',
  area: 'permissions',
  parameters: [...APP_PARAMETERS, 'remote_app_id'],
  scope: 'org',
  title: { en: 'Remote app permission', zh: '远程应用授权' },
  access: APP_RULE_ACCESS,
  feedsGrants: true,
  restorable: true,
  fields: {
    ...appRuleTerms(),
    remote_apps: many({
      label: { en: 'Remote apps', zh: '远程应用' },
      to: 'remote_app',
      required: false,
    }),
    remote_apps_amount: countOf('remote_apps', { en: 'Remote apps', zh: '远程应用数量' }),
    ...organizationFields(),
  },
});

/**
 * Bit of database permissions that are not read-only. It has no action name and is far from the
 * action bits.
 */
export const CHANGE_DATA = 1 << 20;
/** Name of this bit in changes of access. */
export const CHANGE_DATA_NAME = 'change_data';

/** Actions for assets only. */
const NOT_DATABASES = new Set<string>(['forward_port', 'clipboard_copy', 'clipboard_paste']);
/** Actions for databases. */
const DATABASE_ACTIONS = ACTIONS.filter(({ value }) => !NOT_DATABASES.has(value));

/** Grants databases to users, with system users. */
export const databaseAppPermission = defineResource({
  name: 'database_app_permission',
  path: 'perms/database-app-permissions',
  area: 'permissions',
  parameters: [...APP_PARAMETERS, 'database_app_id'],
  scope: 'org',
  title: { en: 'Database permission', zh: '数据库授权' },
  access: APP_RULE_ACCESS,
  feedsGrants: true,
  restorable: true,
  fields: {
    ...appRuleTerms(),
    actions: flags({
      label: { en: 'Actions', zh: '动作' },
      help: {
        en: 'Download exports results; upload sends files from a client to the database',
        zh: '下载：导出查询结果；上传：客户端向数据库发送文件',
      },
      choices: DATABASE_ACTIONS,
      required: false,
      defaultValue: ['all'],
    }),
    is_read_only: boolean({
      label: { en: 'Read only', zh: '只读' },
      help: {
        en: 'Rejects statements that change data, unless another permission allows them.',
        zh: '拒绝修改数据的语句；如另有授权允许修改，则以其为准。',
      },
      defaultValue: false,
      filter: true,
    }),
    mfa_minutes: integer({
      label: { en: 'Second factor (minutes)', zh: '双重认证（分钟）' },
      unit: { en: 'minutes', zh: '分钟' },
      help: {
        en: 'Ask for a second factor if the last one is older than this; 0 never asks',
        zh: '距上次双重认证超过该时间时，连接前须重新验证；0 表示不要求',
      },
      min: 0,
      max: 1440,
      defaultValue: 0,
    }),
    database_apps: many({
      label: { en: 'Database apps', zh: '数据库应用' },
      to: 'database_app',
      required: false,
    }),
    database_apps_amount: countOf('database_apps', { en: 'Database apps', zh: '数据库应用数量' }),
    ...organizationFields(),
  },
});
