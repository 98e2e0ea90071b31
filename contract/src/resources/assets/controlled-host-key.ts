import { text } from '../../kit/field.ts';
import type { Resource } from '../../kit/resource.ts';
import { Permission } from '../../roles.ts';

/**
 * A pinned host key as change sets name it: a change accepts the key that the server offered, a
 * deletion forgets the pin.
 */
export const controlledHostKey: Resource = {
  name: 'host_key',
  table: 'host_key',
  path: 'assets/host-keys',
  scope: 'org',
  title: { en: 'Host key', zh: '主机密钥' },
  access: { update: Permission.ADMIN, delete: Permission.ADMIN },
  area: 'assets',
  fields: {
    fingerprint: text({ label: { en: 'Fingerprint', zh: '指纹' }, max: 128, required: true }),
  },
  parameters: [],
  labelField: 'name',
  miniFields: [],
  defaultOrder: [],
  audited: true,
};
