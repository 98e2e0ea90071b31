import {
  boolean,
  countOf,
  createdAt,
  createdBy,
  flags,
  id,
  integer,
  many,
  organizationFields,
  text,
  updatedAt,
} from '../../kit/field.ts';
import { defineResource } from '../../kit/resource.ts';
import { LABEL } from '../../resources/labels.ts';
import { ACTIONS } from '../../resources/perms/asset-permission.ts';
import { Permission } from '../../roles.ts';

/** Minutes of an emergency access. */
export const EMERGENCY_MINUTES = { min: 5, max: 1440, usual: 60 } as const;

/**
 * Emergency access: users open assets for a short time with a reason, and reviewers check the
 * recordings.
 */
export const emergencyAccess = defineResource({
  name: 'emergency_access',
  path: 'perms/emergency-access',
  area: 'permissions',
  scope: 'org',
  title: { en: 'Emergency access', zh: '紧急访问' },
  access: {
    read: Permission.ADMIN,
    create: Permission.ADMIN,
    update: Permission.ADMIN,
    delete: Permission.ADMIN,
  },
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
    is_active: boolean({ label: LABEL.isActive, defaultValue: true, filter: true }),
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
    actions: flags({
      label: { en: 'Actions', zh: '动作' },
      choices: ACTIONS,
      defaultValue: ['all'],
    }),
    max_minutes: integer({
      label: { en: 'Maximum duration (minutes)', zh: '最长时长（分钟）' },
      unit: { en: 'minutes', zh: '分钟' },
      help: {
        en: 'Access ends automatically after the duration that the user chose, at most this long',
        zh: '到达用户选择的时长后自动结束，最长不超过该时长',
      },
      min: EMERGENCY_MINUTES.min,
      max: EMERGENCY_MINUTES.max,
      defaultValue: EMERGENCY_MINUTES.usual,
      order: true,
    }),
    reviewers: many({
      label: { en: 'Reviewers', zh: '复核人' },
      help: {
        en: 'Administrators or auditors, who are notified at once and review the session afterwards',
        zh: '管理员或审计员，启用时立即收到通知，事后复核会话',
      },
      to: 'user',
      required: true,
      minItems: 1,
    }),
    users_amount: countOf('users', { en: 'Users', zh: '用户数量' }),
    user_groups_amount: countOf('user_groups', { en: 'User groups', zh: '用户组数量' }),
    assets_amount: countOf('assets', { en: 'Assets', zh: '资产数量' }),
    nodes_amount: countOf('nodes', { en: 'Nodes', zh: '节点数量' }),
    reviewers_amount: countOf('reviewers', { en: 'Reviewers', zh: '复核人数量' }),
    comment: text({ label: LABEL.comment, required: false, multiline: true, defaultValue: '' }),
    created_by: createdBy(),
    date_created: createdAt(),
    date_updated: updatedAt(),
    ...organizationFields(),
  },
});
