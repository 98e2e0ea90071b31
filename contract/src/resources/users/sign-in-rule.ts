import { SIGN_IN_ROLES } from '../../conditions/sign-in.ts';
import {
  boolean,
  choice,
  choiceLabelOf,
  computed,
  createdAt,
  createdBy,
  flags,
  id,
  list,
  many,
  text,
} from '../../kit/field.ts';
import { defineResource } from '../../kit/resource.ts';
import { Permission } from '../../roles.ts';
import { LABEL } from '../labels.ts';
import { clientFields, excluded, RANGES, whenFields } from '../perms/condition.ts';

const SUPER = Permission.SUPER | Permission.ADMIN;
const OTHERWISE = { en: 'Otherwise', zh: '条件不满足时' };

/**
 * A condition for sign-ins of the installation. It has its own networks: conditions and networks
 * of organizations are written by their administrators.
 */
export const signInRule = defineResource({
  name: 'sign_in_rule',
  path: 'users/sign-in-rules',
  area: 'rules',
  scope: 'global',
  title: { en: 'Sign-in rule', zh: '登录规则' },
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
    is_active: boolean({
      label: LABEL.isActive,
      defaultValue: true,
      filter: true,
      order: true,
      // An example that is sent must refuse no sign-in.
      example: false,
    }),
    everyone: boolean({
      label: { en: 'Everyone', zh: '所有用户' },
      help: {
        en: 'Applies to all accounts, with those of the administrators',
        zh: '适用于所有账号，包括管理员',
      },
      defaultValue: false,
      filter: true,
      yesMeans: 'neither',
    }),
    users: many({ label: LABEL.users, to: 'user', required: false }),
    user_groups: many({
      label: { en: 'User groups', zh: '用户组' },
      to: 'user_group',
      required: false,
    }),
    roles: flags({
      label: { en: 'Roles', zh: '角色' },
      choices: SIGN_IN_ROLES,
      defaultValue: [],
    }),
    networks: list({ ...RANGES, required: false, defaultValue: [] }),
    networks_excluded: excluded({ en: 'Except these ranges', zh: '排除这些地址' }),
    ...whenFields(),
    ...clientFields(),
    otherwise: choice({
      label: OTHERWISE,
      help: {
        en: 'A second factor must have been passed in the same sign-in',
        zh: '双重认证须在同一次登录中通过',
      },
      choices: [
        { value: 'refuse', label: { en: 'Refuse', zh: '拒绝登录' } },
        { value: 'second_factor', label: { en: 'Require a second factor', zh: '要求双重认证' } },
      ],
      defaultValue: 'refuse',
      filter: true,
      order: true,
    }),
    otherwise_display: choiceLabelOf('otherwise', OTHERWISE),
    sentence: computed.string({
      label: { en: 'Meaning', zh: '含义' },
      example: '10.0.0.0/8; Mon–Fri 08:00–18:00 Asia/Shanghai',
    }),
    comment: text({ label: LABEL.comment, required: false, multiline: true, defaultValue: '' }),
    date_created: createdAt(),
    created_by: createdBy(),
  },
});
