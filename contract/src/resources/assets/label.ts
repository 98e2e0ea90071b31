import {
  boolean,
  choice,
  choiceLabelOf,
  countOf,
  createdAt,
  id,
  many,
  organizationFields,
  text,
} from '../../kit/field.ts';
import { defineResource } from '../../kit/resource.ts';
import { Permission } from '../../roles.ts';
import { LABEL } from '../labels.ts';

/** Name and value pairs on assets. */
export const label = defineResource({
  name: 'label',
  path: 'assets/labels',
  area: 'assets',
  scope: 'org',
  title: { en: 'Label', zh: '标签' },
  access: {
    read: Permission.ADMIN,
    create: Permission.ADMIN,
    update: Permission.ADMIN,
    delete: Permission.ADMIN,
  },
  defaultOrder: ['name', 'value'],
  display: '{name}:{value}',
  quickCreate: ['name', 'value', 'comment'],
  fields: {
    id: id(),
    name: text({ label: LABEL.name, max: 128, search: true, order: true, filter: true }),
    value: text({
      label: { en: 'Value', zh: '值' },
      max: 128,
      search: true,
      order: true,
      filter: true,
    }),
    category: choice({
      label: { en: 'Category', zh: '分类' },
      choices: [
        { value: 'S', label: { en: 'System', zh: '系统' } },
        { value: 'U', label: { en: 'User', zh: '用户' } },
      ],
      readOnly: true,
      defaultValue: 'U',
    }),
    is_active: boolean({ label: LABEL.isActive, defaultValue: true }),
    comment: text({ label: LABEL.comment, required: false, nullable: true, multiline: true }),
    date_created: createdAt(),
    asset_count: countOf('assets', LABEL.assetsAmount),
    assets: many({ label: LABEL.assets, to: 'asset', required: false }),
    get_category_display: choiceLabelOf('category', { en: 'Category', zh: '分类' }),
    ...organizationFields(),
  },
});
