import {
  type AppTreeNode,
  type Fields,
  type GrantedAppSystemUser,
  isUuid,
  type Page,
  Permission,
  type Resource,
  reference,
  say,
  user,
} from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import type { Context } from '../../http/context.ts';
import { exampleId } from '../../http/openapi/examples.ts';
import { pageOf } from '../../http/page.ts';
import { answerList } from '../../http/resources/answer-list.ts';
import { parameter, route } from '../../http/route.ts';
import { samples } from '../../http/shapes.ts';
import type { Db } from '../../platform/db/database.ts';
import { Forbidden, notFound } from '../../platform/errors.ts';
import { type Engines, engineOf } from '../../resources/engines.ts';
import type { ResourceServices, StoredRow } from '../../resources/hooks.ts';
import type { ListSource } from '../../resources/read/page.ts';
import { APP_ACCOUNTS, GRANTED_APPS } from './app-shapes.ts';
import { refusalNow } from './granted.ts';
import type { GrantedApps } from './granted-apps.ts';
import { appAccounts, checkApp, isAppGranted } from './grants/accounts.ts';
import type { GrantKind } from './grants/kind.ts';
import { subjectsOf } from './subjects.ts';

/** Tree roots. Existing clients depend on these ids and titles. */
const ROOTS = {
  remote_app: {
    id: 'ID_REMOTE_APP_ROOT',
    title: 'RemoteApp',
    name: { en: 'RemoteApp', zh: '远程应用' },
  },
  database_app: {
    id: 'ID_DATABASE_APP_ROOT',
    title: 'DatabaseApp',
    name: { en: 'DatabaseApp', zh: '数据库应用' },
  },
  cluster: {
    id: 'ID_CLUSTER_ROOT',
    title: 'Cluster',
    name: { en: 'Cluster', zh: '集群' },
  },
} as const;

type AppName = keyof typeof ROOTS;

const nameOf = ({ target }: GrantKind): AppName => {
  if (target === 'asset') throw new Error('assets have other routes');
  return target;
};

export interface AppRouteOptions {
  readonly db: Db;
  readonly engines: Engines;
  readonly services: ResourceServices;
}

function leaf(
  app: AppName,
  node: Pick<AppTreeNode, 'id' | 'name' | 'title' | 'pId' | 'isParent' | 'open'>,
): AppTreeNode {
  return { ...node, iconSkin: node.isParent ? '' : 'file', nocheck: false, meta: { type: app } };
}

/** Query of the access check. It defaults to the caller when `user_id` is absent. */
const checkQuery = (resource: Resource): Fields => ({
  [`${resource.name}_id`]: reference({ label: resource.title, to: resource.name }),
  system_user_id: reference({ label: { en: 'System user', zh: '系统用户' }, to: 'system_user' }),
  user_id: reference({ label: { en: 'User', zh: '用户' }, to: 'user', required: false }),
});

/** Returns the granted apps as a tree; `only=1` without its root. */
async function appTree(
  name: AppName,
  source: ListSource<StoredRow>,
  context: Context,
): Promise<AppTreeNode[]> {
  const query = new URLSearchParams([...context.query, ['limit', '10000']]);
  const rows = (await source.list(query, context)) ?? [];
  const { id, title, name: words } = ROOTS[name];
  const root = context.query.get('only') === '1' ? '' : id;
  const leaves = (Array.isArray(rows) ? rows : rows.results).map((row) =>
    leaf(name, {
      id: String(row.id),
      name: String(row.name),
      title: String(row.name),
      pId: root,
      isParent: false,
      open: false,
    }),
  );
  return root === ''
    ? leaves
    : [
        leaf(name, {
          id,
          name: say(words, context.language),
          title,
          pId: '',
          isParent: true,
          open: true,
        }),
        ...leaves,
      ];
}

/**
 * Mounts the granted applications of users and groups: lists, trees and system users.
 */
export function mountAppGrants(
  app: FastifyInstance,
  { db, engines }: Omit<AppRouteOptions, 'services'>,
  apps: readonly GrantedApps[],
): void {
  for (const { kind, path, resource, within } of apps) {
    const name = nameOf(kind);
    const label = resource.title.en.toLowerCase();
    const columns: Fields = Object.fromEntries(
      Object.entries(resource.fields).map(([field, declared]) => [
        field,
        { ...declared, mode: 'readonly' as const },
      ]),
    );

    for (const { prefix, access, subject, own } of subjectsOf(engines)) {
      const granted = async (context: Context) =>
        within(isAppGranted(kind, await subject(context)));
      route(app, {
        method: 'GET',
        url: `${prefix}${path}/`,
        access,
        ...(!own && { area: 'permissions' }),
        summary: `The ${label}s that are granted.`,
        answer: GRANTED_APPS[name].list,
        columns,
        handler: async (context) => answerList(await granted(context), context),
      });
      route(app, {
        method: 'GET',
        url: `${prefix}${path}/tree/`,
        access,
        ...(!own && { area: 'permissions' }),
        summary: `The ${label}s that are granted, as a tree; \`only=1\` without its root.`,
        answer: GRANTED_APPS[name].tree,
        handler: async (context) => appTree(name, await granted(context), context),
      });
      route(app, {
        method: 'GET',
        url: `${prefix}${path}/:${name}/system-users/`,
        access,
        ...(!own && { area: 'permissions' }),
        summary: `The system users that are granted for a ${label}.`,
        answer: APP_ACCOUNTS,
        async handler(context): Promise<GrantedAppSystemUser[] | Page<GrantedAppSystemUser>> {
          const id = parameter(context, name);
          if (!isUuid(id)) throw notFound();
          const accounts = await appAccounts(kind, await subject(context), id, db);
          const rows = accounts.map((account) => {
            const {
              id: accountId,
              name: called,
              username,
              priority,
              protocol,
              login_mode,
            } = account;
            return {
              ...{ id: accountId, name: called, username, priority, protocol, login_mode },
              ...refusalNow(account, own, context),
            };
          });
          return pageOf(context, rows);
        },
      });
    }

    route(app, {
      method: 'GET',
      url: `/api/v1/perms/${name.replace('_', '-')}-permissions/user/validate/`,
      access: Permission.USE,
      summary: `Check if a user may use a ${label} with a system user, and by which permissions.`,
      query: checkQuery(resource),
      answer: samples({ msg: true, rules: [exampleId(kind.rule)] }),
      async handler(context) {
        const { query, actor } = context;
        const userId = query.get('user_id') || actor.userId;
        const login = {
          userId,
          appId: query.get(`${name}_id`) ?? '',
          systemUserId: query.get('system_user_id') ?? '',
        };
        const isOwn = userId === actor.userId;
        const mayAsk =
          Object.values(login).every((id) => isUuid(id)) &&
          (isOwn || (actor.permissions & Permission.ADMIN) !== 0);
        // Users outside of the organization result in 404.
        if (mayAsk && !isOwn) await engineOf(engines, user).reader.retrieve(userId, context);
        const account = mayAsk ? await checkApp(kind, login, db) : undefined;
        // Existing clients read `msg`.
        if (!account) throw new Forbidden('app_not_granted', {}, { msg: false });
        return { msg: true, rules: account.rules };
      },
    });
  }
}
