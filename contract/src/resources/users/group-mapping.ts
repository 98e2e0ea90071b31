import { SIGN_IN_SOURCES } from '../../features/features.ts';
import {
  boolean,
  choice,
  computed,
  createdAt,
  createdBy,
  id,
  many,
  text,
} from '../../kit/field.ts';
import { defineResource } from '../../kit/resource.ts';
import { Permission } from '../../roles.ts';
import { LABEL } from '../labels.ts';

const SUPER = Permission.SUPER | Permission.ADMIN;

/** Sources that report the groups of their users. */
export const GROUP_SOURCES = SIGN_IN_SOURCES.flatMap((source) =>
  source.reportsGroups
    ? { value: source.value, label: { en: source.service, zh: source.service } }
    : [],
);

/**
 * A group of a directory or provider and what its members get. Only administrators of the
 * installation write it, because it reaches every organization and can give their own role.
 */
export const groupMapping = defineResource({
  name: 'group_mapping',
  path: 'users/group-mappings',
  area: 'rules',
  scope: 'global',
  title: { en: 'Group mapping', zh: '组映射' },
  access: { read: SUPER, create: SUPER, update: SUPER, delete: SUPER },
  defaultOrder: ['name'],
  copyWithout: [],
  searchable: {},
  fields: {
    id: id(),
    name: text({
      label: LABEL.name,
      max: 128,
      unique: 'global',
      search: true,
      order: true,
      filter: true,
    }),
    source: choice({
      label: { en: 'Source', zh: '来源' },
      choices: GROUP_SOURCES,
      filter: true,
      order: true,
    }),
    provider_group: text({
      label: { en: 'Directory group', zh: '来源中的组' },
      help: {
        en: 'Exactly as the source sends it, such as cn=ops,ou=groups,dc=example,dc=com. The preview lists groups that were seen',
        zh: '与来源发送的值完全一致，例如 cn=ops,ou=groups,dc=example,dc=com；预览中列出已出现的组',
      },
      max: 1024,
      search: true,
      order: true,
      filter: true,
    }),
    user_groups: many({
      label: { en: 'User groups', zh: '用户组' },
      to: 'user_group',
      required: false,
    }),
    role: choice({
      label: { en: 'Role', zh: '系统角色' },
      help: {
        en: 'A role that was given by hand stays. Auditors join no user groups',
        zh: '手动授予的角色不受影响；审计员不加入用户组',
      },
      choices: [
        { value: '', label: { en: 'None', zh: '无' } },
        { value: 'Auditor', label: { en: 'Auditor', zh: '审计员' } },
        { value: 'Admin', label: { en: 'Administrator', zh: '管理员' } },
      ],
      required: false,
      defaultValue: '',
      filter: true,
    }),
    is_active: boolean({
      label: LABEL.isActive,
      help: { en: 'Look at the preview first', zh: '启用前请先查看预览' },
      required: false,
      defaultValue: false,
      filter: true,
      order: true,
    }),
    users_amount: computed.integer({
      label: { en: 'Users of the group', zh: '组中的用户' },
      help: {
        en: '0: the source has reported the group of no user. Compare its spelling with the preview',
        zh: '0 表示来源未报告任何用户属于该组，请与预览中的写法核对',
      },
      example: 40,
    }),
    comment: text({ label: LABEL.comment, required: false, multiline: true, defaultValue: '' }),
    date_created: createdAt(),
    created_by: createdBy(),
  },
});
