import { randomBytes } from 'node:crypto';
import type {} from '@fastify/cookie';
import {
  asset,
  assetPermission,
  assetUser,
  command,
  domain,
  ftpLog,
  isUuid,
  label,
  loginLog,
  node,
  operateLog,
  organization,
  Permission,
  passwordChangeLog,
  platform,
  type Resource,
  session,
  user,
  userGroup,
} from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import { LATER_PREFIX } from '../../http/later-prefix.ts';
import { parameter, publicRoute, route } from '../../http/route.ts';
import { pagedListOf } from '../../http/shapes.ts';
import { notFound } from '../../platform/errors.ts';
import { isHttps, SIGN_IN_PAGE } from '../identity/index.ts';
import { FAVORITE_ID, UNGROUPED_ID } from '../perms/index.ts';
import type { AccountOptions } from './accounts.ts';
import { accountSource } from './accounts.ts';
import { databaseSource, hostSource, platformSource } from './assets.ts';
import { listRows, retrieveRow, type Source } from './lists.ts';
import {
  commandSource,
  ftpLogSource,
  loginLogSource,
  operateLogSource,
  passwordLogSource,
  sessionSource,
} from './logs.ts';
import { groupSource, organizationSource, userSource } from './people.ts';
import { assetPermissionSource, databasePermissionSource } from './permissions.ts';
import { labelSource, nodeSource, zoneSource } from './places.ts';
import type { SelfOptions } from './self.ts';
import { selfSources } from './self.ts';
import { ACCOUNT, ASSET, GRANTED_ASSET, ROW } from './shapes.ts';

export type LaterOptions = SelfOptions &
  AccountOptions & { readonly publicUrl: string | undefined };

/** A list of versions 3 and 4. */
interface List {
  readonly path: string;
  /** Our resource: its readers may read the list, and its path takes the writes. */
  readonly resource: Resource;
  readonly sources: readonly Source[];
  readonly summary: string;
  readonly shape: typeof ROW;
  /** Version 2.1 has no such path, so the list is served without the prefix, too. */
  readonly isNew?: true;
}

/** Categories of assets that do not exist here: their lists are empty. */
const WITHOUT_ASSETS = ['devices', 'clouds', 'webs', 'gpts', 'customs', 'directories'];

function listsOf(options: LaterOptions): readonly List[] {
  const { engines } = options;
  const [hosts, databases] = [hostSource(engines), databaseSource(engines)];
  // Databases come first: they are few, so their number is exact.
  const all = [databases, hosts];
  const list = (path: string, resource: Resource, ...sources: readonly Source[]): List => ({
    path,
    resource,
    sources,
    summary: `List ${path.split('/').at(-1)?.replaceAll('-', ' ')} in the shape of versions 3 and 4.`,
    shape: ROW,
  });
  const added = (path: string, resource: Resource, ...sources: readonly Source[]): List => ({
    ...list(path, resource, ...sources),
    isNew: true,
    shape: ASSET,
  });
  return [
    { ...added('accounts/accounts', assetUser, accountSource(options)), shape: ACCOUNT },
    list('assets/assets', asset, ...all),
    added('assets/hosts', asset, hosts),
    added('assets/databases', asset, databases),
    ...WITHOUT_ASSETS.map((category) => added(`assets/${category}`, asset)),
    list('assets/nodes', node, nodeSource(engines)),
    list('assets/platforms', platform, platformSource(engines)),
    list('assets/domains', domain, zoneSource(engines)),
    { ...added('assets/zones', domain, zoneSource(engines)), shape: ROW },
    list('labels/labels', label, labelSource(engines)),
    list(
      'perms/asset-permissions',
      assetPermission,
      databasePermissionSource(engines),
      assetPermissionSource(engines),
    ),
    list('users/users', user, userSource(engines)),
    list('users/groups', userGroup, groupSource(engines)),
    list('orgs/orgs', organization, organizationSource(engines)),
    list('terminal/sessions', session, sessionSource(engines)),
    list('terminal/commands', command, commandSource(engines)),
    list('audits/login-logs', loginLog, loginLogSource(engines)),
    list('audits/operate-logs', operateLog, operateLogSource(engines)),
    list('audits/ftp-logs', ftpLog, ftpLogSource(engines)),
    list('audits/password-change-logs', passwordChangeLog, passwordLogSource(engines)),
  ];
}

/** Mounts the reads of versions 3 and 4. No route of this feature writes. */
export function mountLaterReads(app: FastifyInstance, options: LaterOptions): void {
  for (const { path, resource, sources, summary, shape, isNew } of listsOf(options)) {
    const { read: access = Permission.SUPER | Permission.ADMIN } = resource.access;
    const reading = { method: 'GET' as const, access, writesAt: `/api/v1/${resource.path}/` };
    const area = resource.area && { area: resource.area };
    for (const prefix of isNew ? [LATER_PREFIX, ''] : [LATER_PREFIX]) {
      const url = `${prefix}/api/v1/${path}/`;
      route(app, {
        ...{ ...reading, ...area, url, summary, answer: pagedListOf(shape) },
        handler: (context) => listRows(sources, context),
      });
      if (sources.length > 0)
        route(app, {
          ...{ ...reading, ...area, url: `${url}:id/`, answer: shape },
          summary: summary.replace('List', 'One of the'),
          handler: (context) => retrieveRow(sources, parameter(context, 'id'), context),
        });
    }
  }
  mountOwnAssets(app, options);
  mountSignInPage(app, options);
}

/** Names that stand for the id of a node. */
const NODES: Readonly<Record<string, string>> = {
  favorite: FAVORITE_ID,
  ungrouped: UNGROUPED_ID,
};

/** Mounts the assets that the caller may use. */
function mountOwnAssets(app: FastifyInstance, options: LaterOptions): void {
  const sources = selfSources(options);
  for (const prefix of [LATER_PREFIX, '']) {
    const url = `${prefix}/api/v1/perms/users/self/assets/`;
    const reading = {
      method: 'GET' as const,
      access: Permission.USE,
      writesAt: '/api/v1/perms/asset-permissions/',
    };
    route(app, {
      ...reading,
      url,
      summary: 'List the assets that the caller may use, in the shape of versions 3 and 4.',
      answer: pagedListOf(GRANTED_ASSET),
      handler: (context) => listRows(sources, context),
    });
    route(app, {
      ...reading,
      url: `${url}:id/`,
      summary: 'An asset that the caller may use, with its accounts and protocols.',
      answer: GRANTED_ASSET,
      handler: (context) => retrieveRow(sources, parameter(context, 'id'), context),
    });
    route(app, {
      ...reading,
      url: `${prefix}/api/v1/perms/users/self/nodes/:node/assets/`,
      summary: 'List the assets on a node that the caller may use.',
      answer: pagedListOf(GRANTED_ASSET),
      handler: (context) => {
        const name = parameter(context, 'node');
        const node = Object.hasOwn(NODES, name) ? NODES[name] : name;
        if (!node || !isUuid(node)) throw notFound();
        const query = new URLSearchParams(context.query);
        query.set('node', node);
        return listRows(sources, { ...context, query });
      },
    });
  }
}

/**
 * Leads from the sign-in page of versions 3 and 4 to ours. The cookie names a visitor and gives no
 * right: some clients read nothing before the page has set it, although they send a token.
 */
function mountSignInPage(app: FastifyInstance, { publicUrl }: LaterOptions): void {
  publicRoute(app, {
    method: 'GET',
    url: `${LATER_PREFIX}${SIGN_IN_PAGE}`,
    writesAt: '/api/v1/authentication/auth/',
    handler: ({ request, reply }) => {
      reply.setCookie('jms_sessionid', randomBytes(16).toString('hex'), {
        path: `${LATER_PREFIX}/`,
        httpOnly: true,
        sameSite: 'lax',
        secure: isHttps(request, publicUrl),
      });
      return reply.redirect(SIGN_IN_PAGE);
    },
  });
}
