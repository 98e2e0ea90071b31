import {
  type AccessCheck,
  cluster,
  databaseApp,
  type Fields,
  Permission,
  type Resource,
  reference,
  remoteApp,
  type UserAccess,
  user,
} from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import { route } from '../../http/route.ts';
import type { Db } from '../../platform/db/database.ts';
import { type Engines, engineOf } from '../../resources/engines.ts';
import { likePattern } from '../../resources/read/search.ts';
import {
  checkAccess,
  MOMENT_QUERY,
  momentOf,
  mountAccessList,
  USER_HEADERS,
  withPaths,
} from './access-list.ts';
import { ACCESS_CHECK, USER_ACCESS } from './access-shapes.ts';
import { CLUSTERS, DATABASE_APPS, type GrantKind, REMOTE_APPS } from './grants/kind.ts';
import { pathsBetween, usersReaching } from './grants/paths.ts';

/** A kind of application with its resource and the segment of its addresses. */
export interface MountedKind {
  readonly kind: GrantKind;
  readonly resource: Resource;
  readonly path: string;
}

/** The kinds of applications that every installation has. */
export const OWN_KINDS: readonly MountedKind[] = [
  { kind: REMOTE_APPS, resource: remoteApp, path: 'remote-apps' },
  { kind: DATABASE_APPS, resource: databaseApp, path: 'database-apps' },
];

export const CLUSTER_KIND: MountedKind = { kind: CLUSTERS, resource: cluster, path: 'clusters' };

/** Mounts, for some kinds of applications, the list of users with access and the access check. */
export function mountAppAccess(
  app: FastifyInstance,
  { db, engines }: { readonly db: Db; readonly engines: Engines },
  kinds: readonly MountedKind[],
): void {
  for (const { kind, resource, path } of kinds) {
    const label = resource.title.en.toLowerCase();
    mountAccessList<UserAccess>(app, engines, {
      shape: USER_ACCESS,
      headers: USER_HEADERS,
      url: `${path}/:${resource.name}/users/`,
      about: resource.name,
      resource,
      summary: `List the users who can use a ${label} now, with system users, permissions and end dates.`,
      async read(id, { search, ...page }, { actor }) {
        const scope = { organization: actor.organization.id, kind };
        const part = { ...page, search: likePattern(search) };
        const { count, users } = await usersReaching(id, part, scope, db);
        const ids = users.map((one) => one.id);
        return {
          count,
          rows: withPaths(users, await pathsBetween(ids, [id], scope, db), 'user'),
        };
      },
    });

    const checkQuery: Fields = {
      user: reference({ label: user.title, to: 'user' }),
      [resource.name]: reference({ label: resource.title, to: resource.name }),
      ...MOMENT_QUERY,
    };
    route(app, {
      method: 'GET',
      url: `/api/v1/perms/access/${path}/check/`,
      access: Permission.ADMIN,
      area: 'permissions',
      summary: `Explain why a user can or cannot use a ${label}.`,
      query: checkQuery,
      answer: ACCESS_CHECK,
      async handler(context): Promise<AccessCheck> {
        const person = await engineOf(engines, user).reader.retrieve(
          context.query.get('user') ?? '',
          context,
        );
        const target = await engineOf(engines, resource).reader.retrieve(
          context.query.get(resource.name) ?? '',
          context,
        );
        const organization = context.actor.organization.id;
        const moment = momentOf(context);
        return checkAccess(
          kind,
          {
            userId: String(person.id),
            targetId: String(target.id),
            organization,
            context,
            ...(moment && { moment }),
          },
          db,
        );
      },
    });
  }
}
