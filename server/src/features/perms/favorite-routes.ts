import {
  asset,
  databaseApp,
  type Fields,
  isUuid,
  Permission,
  type Resource,
  reference,
  remoteApp,
} from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import { readBody, route } from '../../http/route.ts';
import { FAVORITE, FAVORITES } from '../../http/wire-shapes.ts';
import type { Db } from '../../platform/db/database.ts';
import { invalid, notFound } from '../../platform/errors.ts';
import { addFavorite, type FavoriteKind, favoritesOf, removeFavorite } from './store.ts';

const KINDS: readonly {
  readonly kind: FavoriteKind;
  readonly resource: Resource;
  readonly path: string;
}[] = [
  { kind: 'asset', resource: asset, path: 'assets/favorite-assets' },
  { kind: 'remote_app', resource: remoteApp, path: 'applications/favorite-remote-apps' },
  { kind: 'database_app', resource: databaseApp, path: 'applications/favorite-database-apps' },
];

/** Whether a user is granted an object, so that the caller may know that it exists. */
type MayKnow = (userId: string, kind: FavoriteKind, id: string) => Promise<boolean>;

/**
 * Marks of the caller's own on assets and applications. Whether an object is granted is asked where
 * it is used.
 */
export function mountFavorites(app: FastifyInstance, db: Db, mayKnow: MayKnow): void {
  for (const { kind, resource, path } of KINDS) {
    const url = `/api/v1/${path}/`;
    const which: Fields = { [kind]: reference({ label: resource.title, to: resource.name }) };
    const what = resource.title.en.toLowerCase();

    route(app, {
      method: 'GET',
      url,
      access: Permission.USE,
      summary: `The caller's favorites among the ${what}s.`,
      answer: FAVORITES[kind],
      handler: async ({ actor }) =>
        (await favoritesOf(actor.userId, kind, db)).map((id) => ({ [kind]: id })),
    });
    route(app, {
      method: 'POST',
      url,
      access: Permission.USE,
      summary: `Mark a ${what}.`,
      body: which,
      answer: FAVORITE[kind],
      status: 201,
      async handler(context) {
        const id = String(readBody(context)[kind]);
        // A caller without a grant for an object must not learn here that it exists.
        if (!(await mayKnow(context.actor.userId, kind, id)))
          throw invalid(kind, 'unknown_object', { value: id });
        await addFavorite(context.actor.userId, kind, id, db);
        context.reply.code(201);
        return { [kind]: id };
      },
    });
    route(app, {
      method: 'DELETE',
      url,
      access: Permission.USE,
      summary: `Take the mark of a ${what} away.`,
      query: which,
      status: 204,
      async handler({ actor, query, reply }) {
        const id = query.get(kind) ?? '';
        if (!isUuid(id)) throw notFound();
        await removeFavorite(actor.userId, kind, id, db);
        reply.code(204);
        return null;
      },
    });
  }
}
