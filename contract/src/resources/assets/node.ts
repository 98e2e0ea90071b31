import { computed, id, integer, organizationFields, text } from '../../kit/field.ts';
import { defineResource } from '../../kit/resource.ts';
import { Permission } from '../../roles.ts';

/** A place in the asset tree. Keys look like `1:2:3`; counts are exact in every transaction. */
export const node = defineResource({
  name: 'node',
  path: 'assets/nodes',
  area: 'assets',
  scope: 'org',
  title: { en: 'Node', zh: '节点' },
  access: {
    read: Permission.ADMIN,
    create: Permission.ADMIN,
    update: Permission.ADMIN,
    delete: Permission.ADMIN,
  },
  labelField: 'value',
  defaultOrder: ['key'],
  feedsGrants: true,
  endsWithOrganization: true,
  display: '{full_value}',
  searchable: {
    title: '{full_value}',
    page: 'assets/assets?node={id}',
    pinyin: true,
    pairs: true,
  },
  fields: {
    id: id(),
    key: text({
      label: { en: 'Key', zh: '键' },
      max: 255,
      readOnly: true,
      filter: true,
      order: true,
    }),
    value: text({
      label: { en: 'Value', zh: '值' },
      max: 128,
      required: false,
      search: true,
      filter: true,
    }),
    name: computed.string({ label: { en: 'Name', zh: '名称' } }),
    full_value: computed.string({ label: { en: 'Full name', zh: '全称' } }),
    assets_amount: integer({ label: { en: 'Assets', zh: '资产数量' }, readOnly: true }),
    ...organizationFields(),
  },
});
