import {
  boolean,
  computed,
  createdAt,
  datetime,
  id,
  organizationFields,
  reference,
  text,
  updatedAt,
} from '../../kit/field.ts';
import { defineResource } from '../../kit/resource.ts';
import { Permission } from '../../roles.ts';
import { LABEL } from '../labels.ts';

/**
 * An account found on a server. Gather tasks write it; users cannot edit it (permissions.md,
 * section 6.6).
 */
export const gatheredUser = defineResource({
  name: 'gathered_user',
  path: 'assets/gathered-users',
  area: 'secrets',
  scope: 'org',
  title: { en: 'Gathered user', zh: '收集用户' },
  access: { read: Permission.ADMIN },
  labelField: 'username',
  defaultOrder: ['username', 'id'],
  parameters: ['asset_id', 'asset__ip', 'asset__hostname', 'node', 'node_id'],
  audited: false,
  pages: { list: 'xpack/gathered-users' },
  fields: {
    id: id(),
    asset: reference({ label: LABEL.asset, to: 'asset', readOnly: true, filter: true }),
    hostname: computed.string({ label: { en: 'Hostname', zh: '主机名' }, example: 'web-prod-01' }),
    ip: computed.string({ label: { en: 'IP', zh: 'IP' }, example: '10.20.30.41' }),
    username: text({
      label: LABEL.username,
      max: 128,
      readOnly: true,
      search: true,
      filter: true,
      order: true,
    }),
    date_last_login: datetime({
      label: { en: 'Last sign-in', zh: '最后登录日期' },
      readOnly: true,
      nullable: true,
      order: true,
    }),
    ip_last_login: text({
      label: { en: 'Last sign-in IP', zh: '最后登录 IP' },
      max: 128,
      readOnly: true,
      nullable: true,
      filter: true,
    }),
    present: boolean({
      label: { en: 'Present', zh: '存在' },
      readOnly: true,
      filter: true,
      order: true,
    }),
    date_created: createdAt(),
    date_updated: updatedAt(),
    ...organizationFields(),
  },
});
