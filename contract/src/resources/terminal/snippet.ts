import { createdAt, id, text } from '../../kit/field.ts';
import { defineResource } from '../../kit/resource.ts';
import { Permission } from '../../roles.ts';
import { LABEL } from '../labels.ts';

/**
 * A command stored by its owner for the web terminal; `{{name}}` is a placeholder filled in on each
 * use.
 */
export const snippet = defineResource({
  name: 'snippet',
  path: 'terminal/snippets',
  scope: 'own',
  title: { en: 'Snippet', zh: '常用命令' },
  access: {
    read: Permission.USE,
    create: Permission.USE,
    update: Permission.USE,
    delete: Permission.USE,
  },
  labelField: 'name',
  defaultOrder: ['name', 'id'],
  // Visible to the owner only, not even to auditors.
  audited: false,
  fields: {
    id: id(),
    name: text({ label: LABEL.name, max: 128, search: true, order: true, filter: true }),
    content: text({
      label: { en: 'Text', zh: '内容' },
      max: 4096,
      multiline: true,
      keepsBlanks: true,
      search: true,
    }),
    date_created: createdAt(),
  },
});
