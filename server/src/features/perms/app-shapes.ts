import type {
  AppTreeNode,
  cluster,
  databaseApp,
  GrantedAppSystemUser,
  Page,
  Row,
  remoteApp,
} from '@sallyport/contract';
import { exampleId } from '../../http/openapi/examples.ts';
import { pagedListOf, type Shape, samples } from '../../http/shapes.ts';

/**
 * Response shapes of granted applications, given as samples that the compiler checks against the
 * contract.
 */

const MOMENT = '2026-01-31 08:30:00 +0800';
const common = {
  created_by: 'Administrator',
  date_created: MOMENT,
  comment: '',
  org_id: '',
  org_name: 'DEFAULT',
};
const PAGES = {
  next: 'http://localhost:8080/?limit=15&offset=15',
  previous: 'http://localhost:8080/?limit=15',
};

const remote: Row<typeof remoteApp> = {
  ...common,
  id: exampleId('remote_app'),
  name: 'erp',
  asset: exampleId('asset'),
  asset_info: { id: exampleId('asset'), hostname: 'win-apps-01' },
  type: 'chrome',
  get_type_display: 'Chrome',
  path: 'C:\\Program Files (x86)\\Google\\Chrome\\Application\\chrome.exe',
  params: { chrome_target: 'https://erp.example.com', chrome_username: 'clerk' },
};
type GrantedDatabase = Omit<
  Row<typeof databaseApp>,
  'domain' | 'domain_display' | 'tls' | 'ca_certificate'
>;
const database: GrantedDatabase = {
  ...common,
  id: exampleId('database_app'),
  name: 'shop',
  type: 'mysql',
  get_type_display: 'MySQL',
  host: '10.20.30.51',
  port: 3306,
  database: 'shop',
  date_updated: MOMENT,
};

const grantedCluster: Omit<
  Row<typeof cluster>,
  'domain' | 'domain_display' | 'tls_name' | 'ca_certificate'
> = {
  ...common,
  id: exampleId('cluster'),
  name: 'production',
  host: '10.20.30.61',
  port: 6443,
  date_updated: MOMENT,
};

const listOf = <One>(...rows: [One, ...One[]]): Shape =>
  samples<readonly One[] | Page<One>>(
    rows,
    { count: 1, next: null, previous: null, results: rows },
    { count: 31, ...PAGES, results: rows },
  );

const leaf = (
  type: AppTreeNode['meta']['type'],
  node: Pick<AppTreeNode, 'id' | 'name' | 'title' | 'pId' | 'isParent'>,
): AppTreeNode => ({
  ...node,
  open: false,
  iconSkin: node.isParent ? '' : 'file',
  nocheck: false,
  meta: { type },
});

/** Lists and trees of granted applications, by table. */
export const GRANTED_APPS = {
  remote_app: {
    list: listOf(remote, { ...remote, params: {} }),
    tree: samples<readonly AppTreeNode[]>([
      leaf('remote_app', {
        id: 'ID_REMOTE_APP_ROOT',
        name: 'RemoteApp',
        title: 'RemoteApp',
        pId: '',
        isParent: true,
      }),
      leaf('remote_app', {
        id: exampleId('remote_app'),
        name: 'erp',
        title: 'erp',
        pId: 'ID_REMOTE_APP_ROOT',
        isParent: false,
      }),
    ]),
  },
  database_app: {
    list: listOf(database, { ...database, database: null }),
    tree: samples<readonly AppTreeNode[]>([
      leaf('database_app', {
        id: 'ID_DATABASE_APP_ROOT',
        name: 'DatabaseApp',
        title: 'DatabaseApp',
        pId: '',
        isParent: true,
      }),
      leaf('database_app', {
        id: exampleId('database_app'),
        name: 'shop',
        title: 'shop',
        pId: 'ID_DATABASE_APP_ROOT',
        isParent: false,
      }),
    ]),
  },
  cluster: {
    list: listOf(grantedCluster),
    tree: samples<readonly AppTreeNode[]>([
      leaf('cluster', {
        id: 'ID_CLUSTER_ROOT',
        name: 'Cluster',
        title: 'Cluster',
        pId: '',
        isParent: true,
      }),
      leaf('cluster', {
        id: exampleId('cluster'),
        name: 'production',
        title: 'production',
        pId: 'ID_CLUSTER_ROOT',
        isParent: false,
      }),
    ]),
  },
} as const;

export const APP_ACCOUNTS = pagedListOf(
  samples<GrantedAppSystemUser>(
    {
      id: exampleId('system_user'),
      name: 'readers of the shop',
      username: 'reader',
      priority: 20,
      protocol: 'mysql',
      login_mode: 'auto',
    },
    {
      id: exampleId('system_user'),
      name: 'writers of the shop',
      username: 'writer',
      priority: 10,
      protocol: 'mysql',
      login_mode: 'auto',
      not_now: 'not now: only Mon–Fri 08:00–18:00 Asia/Shanghai',
    },
  ),
);
