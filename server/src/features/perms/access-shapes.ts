import type {
  AccessBranch,
  AccessCheck,
  AssetAccess,
  AssetLeaf,
  ExplainedAccess,
  Page,
  UserAccess,
  UserLeaf,
} from '@sallyport/contract';
import { exampleId } from '../../http/openapi/examples.ts';
import { samples } from '../../http/shapes.ts';

/** Response shapes: samples that the compiler checks against `contract/src/access/access.ts`. */

const UNTIL = '2026-12-31 18:00:00 +0800';
const permission = { id: exampleId('asset_permission'), name: 'Web servers for the shop team' };

const access: ExplainedAccess = {
  accounts: [
    {
      id: exampleId('system_user'),
      name: 'deploy on web servers',
      username: 'deploy',
      protocol: 'ssh',
      actions: ['connect'],
    },
  ],
  paths: [
    {
      permission,
      valid_until: UNTIL,
      group: { id: exampleId('user_group'), name: 'Shop team' },
      node: { id: exampleId('node'), name: 'Default / Web servers' },
      condition: {
        name: 'Office hours',
        sentence: 'Mon–Fri 08:00–18:00 Asia/Shanghai',
        not_now: '',
      },
      needs_approval: true,
      needs_watcher: false,
    },
    {
      permission,
      valid_until: UNTIL,
      group: null,
      node: null,
      condition: null,
      needs_approval: false,
      needs_watcher: true,
    },
  ],
  valid_until: UNTIL,
};
const PAGES = {
  next: 'http://localhost:8080/?limit=15&offset=15',
  previous: 'http://localhost:8080/?limit=15',
};

const userAccess: UserAccess = {
  id: exampleId('user'),
  name: 'Li Wei',
  username: 'li.wei',
  ...access,
};
export const USER_ACCESS = samples<Page<UserAccess>>(
  { count: 1, next: null, previous: null, results: [userAccess] },
  { count: 31, ...PAGES, results: [userAccess] },
);

const assetAccess: AssetAccess = {
  id: exampleId('asset'),
  hostname: 'web-prod-01',
  ip: '10.20.30.41',
  ...access,
};
export const ASSET_ACCESS = samples<Page<AssetAccess>>(
  { count: 1, next: null, previous: null, results: [assetAccess] },
  { count: 31, ...PAGES, results: [assetAccess] },
);

const branches: readonly AccessBranch[] = access.paths.map((path) => ({
  ...path,
  accounts: access.accounts,
  count: 12,
}));
export const ACCESS_TREE = samples<Page<AccessBranch>>(
  { count: 2, next: null, previous: null, results: branches },
  { count: 31, ...PAGES, results: branches },
);

const userLeaf: UserLeaf = { id: exampleId('user'), name: 'Li Wei', username: 'li.wei' };
export const USER_LEAVES = samples<Page<UserLeaf>>(
  { count: 1, next: null, previous: null, results: [userLeaf] },
  { count: 31, ...PAGES, results: [userLeaf] },
);

const assetLeaf: AssetLeaf = { id: exampleId('asset'), hostname: 'web-prod-01', ip: '10.20.30.41' };
export const ASSET_LEAVES = samples<Page<AssetLeaf>>(
  { count: 1, next: null, previous: null, results: [assetLeaf] },
  { count: 31, ...PAGES, results: [assetLeaf] },
);

export const ACCESS_CHECK = samples<AccessCheck>(
  { granted: true, access, general: [], near: [] },
  {
    granted: false,
    access: null,
    general: ['asset_disabled'],
    near: [
      {
        permission,
        obstacles: ['expired', 'protocol'],
        account_protocols: ['vnc'],
        target_protocols: ['rdp', 'ssh'],
        date_start: '2026-01-01 08:00:00 +0800',
        date_expired: UNTIL,
      },
    ],
  },
);
