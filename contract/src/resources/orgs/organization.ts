import { countOf, createdAt, createdBy, id, many, text } from '../../kit/field.ts';
import { defineResource } from '../../kit/resource.ts';
import { Permission } from '../../roles.ts';
import { LABEL } from '../labels.ts';

const SUPER_ADMINISTRATOR = Permission.SUPER | Permission.ADMIN;
const members = { to: 'user', required: false, detailOnly: true } as const;

/**
 * Organizations of an installation. The default one is virtual: it has no row, its id is `DEFAULT`,
 * and its objects have an empty `org_id`. Further ones need a license. Each member role is a
 * separate field.
 */
export const organization = defineResource({
  name: 'organization',
  path: 'orgs/orgs',
  area: 'groups',
  scope: 'global',
  title: { en: 'Organization', zh: '组织' },
  access: {
    read: SUPER_ADMINISTRATOR,
    create: SUPER_ADMINISTRATOR,
    update: SUPER_ADMINISTRATOR,
    delete: SUPER_ADMINISTRATOR,
  },
  feedsGrants: true,
  pages: { list: 'xpack/orgs' },
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
    users: many({ label: { en: 'Users', zh: '用户' }, ...members }),
    admins: many({ label: { en: 'Administrators', zh: '管理员' }, ...members }),
    auditors: many({ label: { en: 'Auditors', zh: '审计员' }, ...members }),
    users_amount: countOf('users', { en: 'Users', zh: '用户' }),
    admins_amount: countOf('admins', { en: 'Administrators', zh: '管理员' }),
    auditors_amount: countOf('auditors', { en: 'Auditors', zh: '审计员' }),
    created_by: createdBy(),
    date_created: createdAt(),
    comment: text({
      label: LABEL.comment,
      max: 128,
      required: false,
      multiline: true,
      defaultValue: '',
      search: true,
    }),
  },
});
