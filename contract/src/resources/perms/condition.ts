import { CLIENTS } from '../../conditions/terms.ts';
import {
  boolean,
  computed,
  createdAt,
  createdBy,
  datetime,
  flags,
  id,
  integer,
  list,
  many,
  organizationFields,
  text,
} from '../../kit/field.ts';
import { defineResource } from '../../kit/resource.ts';
import type { LocalText } from '../../kit/text.ts';
import { Permission } from '../../roles.ts';
import { LABEL } from '../labels.ts';
import { CONDITION_TITLE } from './condition-fields.ts';

const ACCESS = {
  read: Permission.ADMIN,
  create: Permission.ADMIN,
  update: Permission.ADMIN,
  delete: Permission.ADMIN,
};

const name = () =>
  text({ label: LABEL.name, max: 128, unique: 'org', search: true, order: true, filter: true });
const comment = () =>
  text({ label: LABEL.comment, required: false, multiline: true, defaultValue: '' });

/** Negates a part of a condition. */
export const excluded = (label: LocalText) =>
  boolean({
    label,
    words: { yes: { en: 'Except', zh: '排除' }, no: { en: 'Only', zh: '仅限' } },
    defaultValue: false,
    yesMeans: 'neither',
  });

/** Hours and period of a condition. */
export const whenFields = () => ({
  hours: list({
    label: { en: 'Weekdays and hours', zh: '星期与时段' },
    help: {
      en: 'Such as Mon-Fri 08:00-18:00; an entry ends at 24:00 at the latest',
      zh: '例如 Mon-Fri 08:00-18:00；每条最晚到 24:00',
    },
    format: 'weekHours',
    required: false,
    maxItems: 100,
    max: 24,
    defaultValue: [],
    example: ['Mon-Fri 08:00-18:00'],
  }),
  hours_excluded: excluded({ en: 'Except these hours', zh: '排除这些时段' }),
  time_zone: text({
    label: { en: 'Time zone', zh: '时区' },
    max: 64,
    format: 'timeZone',
    required: false,
    allowBlank: false,
    defaultValue: 'UTC',
    example: 'Asia/Shanghai',
  }),
  valid_from: datetime({
    label: { en: 'Valid from', zh: '生效时间' },
    required: false,
    nullable: true,
  }),
  valid_until: datetime({
    label: { en: 'Valid until', zh: '截止时间' },
    required: false,
    nullable: true,
    example: '2036-01-31 08:30:00 +0800',
  }),
  period_excluded: excluded({ en: 'Except in this period', zh: '排除该期限' }),
});

/** Kinds of clients of a condition. */
export const clientFields = () => ({
  clients: flags({
    label: { en: 'Clients', zh: '客户端' },
    help: { en: 'None: all clients', zh: '不选表示全部' },
    choices: CLIENTS,
    defaultValue: [],
  }),
  clients_excluded: excluded({ en: 'Except these clients', zh: '排除这些客户端' }),
});

/** Options of a list of address ranges. */
export const RANGES = {
  label: { en: 'Address ranges', zh: '地址范围' },
  help: {
    en: 'IPv4 or IPv6, such as 10.0.0.0/8 or 2001:db8::/32, or single addresses',
    zh: 'IPv4 或 IPv6，例如 10.0.0.0/8、2001:db8::/32，或单个地址',
  },
  format: 'network',
  maxItems: 200,
  max: 64,
  example: ['10.0.0.0/8'],
} as const;

/** A named list of networks, for conditions. */
export const network = defineResource({
  name: 'network',
  path: 'perms/networks',
  area: 'rules',
  scope: 'org',
  title: { en: 'Network', zh: '网络' },
  access: ACCESS,
  feedsGrants: true,
  quickCreate: ['name', 'networks'],
  searchable: {},
  fields: {
    id: id(),
    name: name(),
    networks: list({ ...RANGES, minItems: 1 }),
    comment: comment(),
    date_created: createdAt(),
    created_by: createdBy(),
    ...organizationFields(),
  },
});

/**
 * A condition for permissions and rules: networks, hours, period, second factor, clients and
 * forwarded ports. All parts must hold; an empty part always holds.
 */
export const condition = defineResource({
  name: 'condition',
  path: 'perms/conditions',
  area: 'rules',
  scope: 'org',
  title: CONDITION_TITLE,
  access: ACCESS,
  feedsGrants: true,
  searchable: {},
  copyWithout: [],
  fields: {
    id: id(),
    name: name(),
    networks: many({ label: { en: 'Networks', zh: '网络' }, to: 'network', required: false }),
    networks_excluded: excluded({ en: 'Except these networks', zh: '排除这些网络' }),
    ...whenFields(),
    factor_minutes: integer({
      label: { en: 'Second factor within (minutes)', zh: '双重认证时效（分钟）' },
      unit: { en: 'minutes', zh: '分钟' },
      help: { en: '0: no second factor is required', zh: '0 表示不要求' },
      min: 0,
      max: 1440,
      defaultValue: 0,
    }),
    factor_excluded: excluded({
      en: 'Except after such a second factor',
      zh: '排除通过此认证的情形',
    }),
    ...clientFields(),
    ports: list({
      label: { en: 'Forwarded ports', zh: '转发端口' },
      help: {
        en: 'Such as 5432 or 8000-8100; limits forwarded connections only. None: all ports',
        zh: '例如 5432 或 8000-8100，仅限制端口转发。不填表示全部',
      },
      format: 'portRange',
      required: false,
      maxItems: 100,
      max: 11,
      defaultValue: [],
      example: ['5432', '8000-8100'],
    }),
    ports_excluded: excluded({ en: 'Except these ports', zh: '排除这些端口' }),
    sentence: computed.string({
      label: { en: 'Meaning', zh: '含义' },
      example: 'Office (10.0.0.0/8); Mon–Fri 08:00–18:00 Asia/Shanghai',
    }),
    comment: comment(),
    date_created: createdAt(),
    created_by: createdBy(),
    ...organizationFields(),
  },
});
