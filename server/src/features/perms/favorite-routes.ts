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
import { pageOf } from '../../http/page.ts';
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

/** Returns true if the object is granted to the user, who may then learn that it exists. */
type MayKnow = (userId: string, kind: FavoriteKind, id: string) => Promise<boolean>;

/** Mounts the caller's favorite assets and applications. Reads do not check grants. */
export function mountFavorites(app: FastifyInstance, db: Db, mayKnow: MayKnow): void {
  for (const { kind, resource, path } of KINDS) {
    const url = `/api/v1/${path}/`;
    const fields: Fields = { [kind]: reference({ label: resource.title, to: resource.name }) };
    const label = resource.title.en.toLowerCase();

    route(app, {
      method: 'GET',
      url,
      access: Permission.USE,
      summary: `The caller's favorites among the ${label}s.`,
      answer: FAVORITES[kind],
      async handler(context) {
        const ids = await favoritesOf(context.actor.userId, kind, db);
        return pageOf(
          context,
          ids.map((id) => ({ [kind]: id })),
        );
      },
    });
    route(app, {
      method: 'POST',
      url,
      access: Permission.USE,
      summary: `Add a ${label} to the favorites.`,
      body: fields,
      answer: FAVORITE[kind],
      status: 201,
      async handler(context) {
        const id = String(readBody(context, fields)[kind]);
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
      summary: `Remove a ${label} from the favorites.`,
      query: fields,
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
