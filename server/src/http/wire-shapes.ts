import {
  type AcceptedHostKey,
  API_VERSION,
  type FavoriteAsset,
  type FavoriteDatabaseApp,
  type FavoriteRemoteApp,
  type GrantedAsset,
  type GrantedSystemUser,
  type Health,
  type HostKey,
  type KillSessionReply,
  type Page,
  type ReplayInfo,
  type TreeNode,
} from '@sallyport/contract';
import { exampleId } from './openapi/examples.ts';
import { pagedListOf, samples } from './shapes.ts';

/** Shapes of the wire types in `contract/src/api/api.ts`, from samples that the compiler checks. */

const MOMENT = '2026-01-31 08:30:00 +0800';

const nodeLeaf: TreeNode = {
  id: '1:4',
  name: 'Web servers (1)',
  title: 'Web servers (1)',
  pId: '1',
  isParent: true,
  open: false,
  iconSkin: '',
  nocheck: false,
  meta: {
    type: 'node',
    node: {
      id: exampleId('node'),
      key: '1:4',
      value: 'Web servers',
      name: 'Web servers',
      assets_amount: 1,
    },
  },
};
const assetLeaf: TreeNode = {
  ...nodeLeaf,
  id: exampleId('asset'),
  name: 'web-prod-01',
  title: '10.20.30.41',
  pId: '1:4',
  isParent: false,
  iconSkin: 'linux',
  meta: {
    type: 'asset',
    asset: {
      id: exampleId('asset'),
      hostname: 'web-prod-01',
      ip: '10.20.30.41',
      protocols: ['ssh/22'],
      platform: 'Linux',
      domain: exampleId('domain'),
      org_id: '',
      org_name: 'DEFAULT',
    },
  },
};
const testedLeaf: TreeNode = {
  ...assetLeaf,
  meta:
    assetLeaf.meta.type === 'asset'
      ? { type: 'asset', asset: { ...assetLeaf.meta.asset, domain: null, reachability: 1 } }
      : assetLeaf.meta,
};

export const TREE = samples<readonly TreeNode[]>([nodeLeaf, assetLeaf], [testedLeaf]);

const granted: GrantedAsset = {
  id: exampleId('asset'),
  hostname: 'web-prod-01',
  ip: '10.20.30.41',
  protocols: ['ssh/22'],
  os: 'Debian',
  domain: exampleId('domain'),
  platform: 'Linux',
  comment: 'Ask the shop team before a restart',
  org_id: '',
  org_name: 'DEFAULT',
};
const plain: GrantedAsset = { ...granted, os: null, domain: null };
const NOT_NOW = 'not now: only Mon–Fri 08:00–18:00 Asia/Shanghai';

/** Granted assets: a bare list, or a page with a limit. */
export const GRANTED_ASSETS = samples<readonly GrantedAsset[] | Page<GrantedAsset>>(
  { count: 1, next: null, previous: null, results: [granted] },
  {
    count: 16,
    next: 'http://localhost:8080/?limit=15&offset=15',
    previous: 'http://localhost:8080/?limit=15',
    results: [plain, { ...plain, not_now: NOT_NOW }],
  },
  [granted, plain],
);

/** Flat list of nodes with grants below them: bare, or a page with a limit. */
export const GRANTED_NODES = pagedListOf(
  samples({
    id: exampleId('node'),
    name: 'Web servers',
    key: '1:4',
    value: 'Web servers',
    org_id: '',
    assets_amount: 1,
  }),
);

/** System users that a user may use on an asset. */
const account: GrantedSystemUser = {
  id: exampleId('system_user'),
  name: 'deploy on web servers',
  username: 'deploy',
  priority: 20,
  protocol: 'ssh',
  login_mode: 'auto',
  sftp_root: 'tmp',
  username_same_with_user: false,
  actions: ['connect'],
};
export const GRANTED_ACCOUNTS = pagedListOf(
  samples<GrantedSystemUser>(account, { ...account, not_now: NOT_NOW }),
);

const favorites: {
  readonly asset: FavoriteAsset;
  readonly remote_app: FavoriteRemoteApp;
  readonly database_app: FavoriteDatabaseApp;
} = {
  asset: { asset: exampleId('asset') },
  remote_app: { remote_app: exampleId('remote_app') },
  database_app: { database_app: exampleId('database_app') },
};
export const FAVORITE = {
  asset: samples(favorites.asset),
  remote_app: samples(favorites.remote_app),
  database_app: samples(favorites.database_app),
};
export const FAVORITES = {
  asset: pagedListOf(FAVORITE.asset),
  remote_app: pagedListOf(FAVORITE.remote_app),
  database_app: pagedListOf(FAVORITE.database_app),
};

const pinned: HostKey = {
  id: exampleId('host-keys'),
  hop: 'asset',
  name: 'web-prod-01',
  host: '10.20.30.41',
  port: 22,
  key_type: 'ssh-ed25519',
  fingerprint: 'SHA256:mVPwvezndPv/ARoIadVY98vAC0g+P/5633yTC4d/wXE',
  date_pinned: MOMENT,
  offered: null,
};
const changed: HostKey = {
  ...pinned,
  offered: {
    key_type: 'ssh-ed25519',
    fingerprint: 'SHA256:uNiVztksCsDhcc0u9e8BrVylsNa9sU5Ks5Yg5RqQVzQ',
    date: MOMENT,
  },
};

export const HOST_KEY = samples<HostKey>(pinned, changed);
export const ACCEPTED_HOST_KEY = samples<AcceptedHostKey>({
  fingerprint: changed.offered?.fingerprint ?? '',
});
export const HOST_KEYS = samples<readonly HostKey[]>([changed, pinned]);

export const HEALTH = samples<Health>(
  {
    status: 1,
    time: 1_769_819_400,
    version: API_VERSION,
    demo: false,
    dependencies: { database: { status: 'up' }, recordings: { status: 'up' } },
  },
  {
    status: 0,
    time: 1_769_819_400,
    version: API_VERSION,
    commit: '1114d68fae21',
    demo: false,
    stopping: true,
    dependencies: {
      database: { status: 'down', detail: 'no answer' },
      recordings: { status: 'down', code: 'full' },
    },
    previous_end: { date: '2026-11-20T10:00:00.000Z', reason: 'signal SIGKILL', restarts: 1 },
  },
);

export const SESSIONS_TO_END = samples<
  readonly string[] | { readonly sessions: readonly string[]; readonly reason: string }
>({ sessions: [exampleId('session')], reason: 'The server goes down for maintenance.' }, [
  exampleId('session'),
]);
export const KILLED = samples<KillSessionReply>({ ok: [exampleId('session')] });

const replay: ReplayInfo = {
  type: 'asciicast',
  src: `/api/v1/terminal/sessions/${exampleId('session')}/replay/file/`,
  user: 'Li Wei(li.wei)',
  asset: 'web-prod-01',
  system_user: 'deploy on web servers(deploy)',
  date_start: MOMENT,
  date_end: '2026-01-31 09:05:12 +0800',
  download_url: `/api/v1/terminal/sessions/${exampleId('session')}/replay/download/`,
  state: 'finished',
};

export const REPLAY = samples<ReplayInfo>(replay, { ...replay, date_end: null });

/** Rows of two columns, bare or as a page. */
export const namesOf = (column: string, kind: string, label: string) => {
  const rows = [
    { [column]: exampleId(kind), [`${column}_display`]: label, direct: true, through: [] },
  ];
  return samples<unknown>({ count: 1, next: null, previous: null, results: rows }, rows);
};
