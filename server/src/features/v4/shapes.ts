import { exampleId } from '../../http/openapi/examples.ts';
import { samples } from '../../http/shapes.ts';

const MOMENT = '2026-01-31 08:30:00 +0800';
const ORGANIZATION = { org_id: exampleId('organization'), org_name: 'DEFAULT' };
const LINUX = {
  category: { value: 'host', label: 'Host' },
  type: { value: 'linux', label: 'Linux' },
  platform: { id: exampleId('platform'), name: 'Linux' },
};
const SSH = [{ name: 'ssh', port: 22 }];

/** A row of any kind. */
export const ROW = samples<object>({ id: exampleId('domain'), name: 'web-prod-01' }, {});

const ASSET_ROW = {
  id: exampleId('asset'),
  name: 'web-prod-01',
  address: '10.20.30.41',
  ...LINUX,
  protocols: SSH,
  nodes: [{ id: exampleId('node'), name: 'Web servers' }],
  is_active: true,
  comment: '',
  ...ORGANIZATION,
};
export const ASSET = samples<object>(ASSET_ROW, {});

export const GRANTED_ASSET = samples<object>(
  {
    ...ASSET_ROW,
    permed_protocols: [{ name: 'ssh', port: 22, public: true, setting: {} }],
    permed_accounts: [
      {
        id: exampleId('system_user'),
        alias: exampleId('system_user'),
        name: 'deploy on web servers',
        username: 'deploy',
        actions: [{ value: 'connect', label: 'Connect' }],
        date_expired: MOMENT,
      },
    ],
  },
  {},
);

export const ACCOUNT = samples<object>(
  {
    id: `${exampleId('asset_user')}_${exampleId('asset')}`,
    name: 'root',
    username: 'root',
    secret_type: { value: 'password', label: 'Password' },
    has_secret: true,
    asset: { id: exampleId('asset'), name: 'web-prod-01', address: '10.20.30.41', ...LINUX },
    is_active: true,
    date_created: MOMENT,
    ...ORGANIZATION,
  },
  {},
);
