import {
  countOf,
  createdAt,
  createdBy,
  id,
  many,
  organizationFields,
  text,
} from '../../kit/field.ts';
import { defineResource } from '../../kit/resource.ts';
import { Permission } from '../../roles.ts';
import { LABEL } from '../labels.ts';

/** Groups of users for permissions. */
export const userGroup = defineResource({
  name: 'user_group',
  path: 'users/groups',
  area: 'groups',
  scope: 'org',
  title: { en: 'User group', zh: '用户组' },
  access: {
    read: Permission.ADMIN,
    create: Permission.ADMIN,
    update: Permission.ADMIN,
    delete: Permission.ADMIN,
  },
  feedsGrants: true,
  quickCreate: ['name', 'comment'],
  searchable: { pinyin: true },
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
    comment: text({ label: LABEL.comment, required: false, multiline: true, defaultValue: '' }),
    date_created: createdAt(),
    created_by: createdBy(),
    users: many({ label: LABEL.users, to: 'user', required: false }),
    users_amount: countOf('users', { en: 'Users', zh: '用户数量' }),
    ...organizationFields(),
  },
});
