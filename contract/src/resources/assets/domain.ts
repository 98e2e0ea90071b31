import {
  computed,
  countOf,
  createdAt,
  displayOf,
  id,
  many,
  organizationFields,
  reference,
  text,
} from '../../kit/field.ts';
import { defineResource } from '../../kit/resource.ts';
import { Permission } from '../../roles.ts';
import { LABEL } from '../labels.ts';

const THROUGH = { en: 'Reached through', zh: '经由网域' };

/** A network that is reached through its gateways, which may be behind another network. */
export const domain = defineResource({
  name: 'domain',
  path: 'assets/domains',
  area: 'assets',
  parameters: ['attention'],
  scope: 'org',
  title: { en: 'Domain', zh: '网域' },
  access: {
    read: Permission.ADMIN,
    create: Permission.ADMIN,
    update: Permission.ADMIN,
    delete: Permission.ADMIN,
  },
  quickCreate: ['name', 'comment'],
  searchable: { pinyin: true },
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
    through: reference({
      label: THROUGH,
      to: 'domain',
      required: false,
      nullable: true,
      filter: true,
    }),
    through_display: displayOf('through', THROUGH),
    date_created: createdAt(),
    asset_count: countOf('assets', LABEL.assetsAmount),
    assets: many({ label: LABEL.assets, to: 'asset', reverseOf: 'domain', required: false }),
    gateway_count: computed.integer({ label: { en: 'Gateways', zh: '网关数量' } }),
    ...organizationFields(),
  },
});
