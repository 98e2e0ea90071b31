import { createdAt, createdBy, id, text } from '../../kit/field.ts';
import { defineResource } from '../../kit/resource.ts';
import { Permission } from '../../roles.ts';
import { LABEL } from '../labels.ts';

/**
 * Organizations that share an installation (identity reference §5). The default one is virtual: it has no row, its id is
 * `DEFAULT` and its objects carry an empty `org_id`. More of them need a license, so there is nothing to write here yet.
 */
export const organization = defineResource({
  name: 'organization',
  path: 'orgs/orgs',
  scope: 'global',
  title: { en: 'Organization', zh: '组织' },
  access: { read: Permission.SUPER | Permission.ADMIN },
  fields: {
    id: id(),
    name: text({ label: LABEL.name, max: 128, unique: 'global', search: true, order: true, filter: true }),
    created_by: createdBy(),
    date_created: createdAt(),
    comment: text({ label: LABEL.comment, max: 128, required: false, defaultValue: '', search: true }),
  },
});
