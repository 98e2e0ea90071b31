import {
  boolean,
  countOf,
  createdAt,
  createdBy,
  id,
  many,
  organizationFields,
  text,
  updatedAt,
} from '../../kit/field.ts';
import { defineResource } from '../../kit/resource.ts';
import { Permission } from '../../roles.ts';
import { LABEL } from '../labels.ts';

const RULES = { en: 'Rules', zh: '规则' };
const SYSTEM_USERS = { en: 'System users', zh: '系统用户' };

/** Rules for the commands of some system users. */
export const commandFilter = defineResource({
  name: 'command_filter',
  path: 'assets/cmd-filters',
  area: 'rules',
  scope: 'org',
  title: { en: 'Command filter', zh: '命令过滤器' },
  access: {
    read: Permission.ADMIN,
    create: Permission.ADMIN,
    update: Permission.ADMIN,
    delete: Permission.ADMIN,
  },
  quickCreate: ['name', 'comment'],
  searchable: {},
  restorable: true,
  fields: {
    id: id(),
    name: text({
      label: LABEL.name,
      max: 64,
      unique: 'org',
      search: true,
      order: true,
      filter: true,
    }),
    is_active: boolean({
      label: LABEL.isActive,
      help: {
        en: 'The rules of an inactive filter do not apply',
        zh: '未激活的过滤器，其规则不生效',
      },
      defaultValue: true,
      filter: true,
    }),
    system_users: many({ label: SYSTEM_USERS, to: 'system_user', required: false }),
    system_users_amount: countOf('system_users', SYSTEM_USERS),
    rules: many({
      label: RULES,
      to: 'command_filter_rule',
      reverseOf: 'filter',
      readOnly: true,
      required: false,
    }),
    rules_amount: countOf('rules', RULES),
    comment: text({ label: LABEL.comment, required: false, multiline: true, defaultValue: '' }),
    date_created: createdAt(),
    date_updated: updatedAt(),
    created_by: createdBy(),
    ...organizationFields(),
  },
});
