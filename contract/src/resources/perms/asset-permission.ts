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
import { flagsOfMask, maskOfFlags } from '../../kit/field-kinds.ts';
import { defineResource } from '../../kit/resource.ts';
import { Permission } from '../../roles.ts';
import { LABEL } from '../labels.ts';
import { approvalFields, watcherFields } from './approval-fields.ts';
import { conditionFields } from './condition-fields.ts';
import { validityField } from './validity-field.ts';

/**
 * Actions of a permission with their bits. `forward_port` and the clipboard actions must be named:
 * they are no part of `all`.
 */
export const ACTIONS = [
  { value: 'all', mask: 255, label: { en: 'All', zh: '全部' } },
  { value: 'connect', mask: 1, label: { en: 'Connect', zh: '连接' } },
  { value: 'upload_file', mask: 2, label: { en: 'Upload file', zh: '上传文件' } },
  { value: 'download_file', mask: 4, label: { en: 'Download file', zh: '下载文件' } },
  { value: 'updownload', mask: 6, label: { en: 'Upload and download', zh: '上传下载' } },
  // Our own addition, excluded from `all`: earlier permissions must not gain it.
  { value: 'forward_port', mask: 256, label: { en: 'Forward ports', zh: '端口转发' } },
  {
    value: 'clipboard_copy',
    mask: 512,
    label: { en: 'Copy text from desktops', zh: '从桌面复制文本' },
  },
  {
    value: 'clipboard_paste',
    mask: 1024,
    label: { en: 'Paste text into desktops', zh: '向桌面粘贴文本' },
  },
] as const;

export type ActionName = (typeof ACTIONS)[number]['value'];

/** Returns the bit mask of action names. */
export const actionMask = (names: readonly string[]): number => maskOfFlags(ACTIONS, names);

/** Returns the action names whose bits are all set, in wire order. */
export const actionNames = (mask: number): ActionName[] => flagsOfMask(ACTIONS, mask);

/** Grants assets to users: actions, accounts and period. */
export const assetPermission = defineResource({
  name: 'asset_permission',
  path: 'perms/asset-permissions',
  area: 'permissions',
  parameters: [
    'attention',
    'is_valid',
    'user_id',
    'username',
    'user_group_id',
    'user_group',
    'asset_id',
    'hostname',
    'ip',
    'node_id',
    'node',
    'system_user_id',
    'system_user',
  ],
  scope: 'org',
  title: { en: 'Asset permission', zh: '资产授权' },
  access: {
    read: Permission.ADMIN,
    create: Permission.ADMIN,
    update: Permission.ADMIN,
    delete: Permission.ADMIN,
  },
  feedsGrants: true,
  searchable: { pinyin: true, pairs: true },
  copyWithout: ['date_start'],
  // The path of the update page is in the singular (conformance 2.19).
  pages: { update: 'perms/asset-permission' },
  restorable: true,
  fields: {
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
    actions: flags({
      label: { en: 'Actions', zh: '动作' },
      choices: ACTIONS,
      defaultValue: ['all'],
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
    ...conditionFields(),
    ...approvalFields(),
    ...watcherFields(),
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
    assets: many({ label: LABEL.assets, to: 'asset', required: false }),
    nodes: many({ label: { en: 'Nodes', zh: '节点' }, to: 'node', required: false }),
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
    assets_amount: countOf('assets', { en: 'Assets', zh: '资产数量' }),
    nodes_amount: countOf('nodes', { en: 'Nodes', zh: '节点数量' }),
    system_users_amount: countOf('system_users', { en: 'System users', zh: '系统用户数量' }),
    ...organizationFields(),
  },
});
