import { type Fields, isUuid, Permission, reference } from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import { readBody, route } from '../../http/route.ts';
import { FAVORITE, FAVORITES } from '../../http/wire-shapes.ts';
import type { Db } from '../../platform/db/database.ts';
import { invalid, notFound } from '../../platform/errors.ts';
import { addFavorite, favoritesOf, removeFavorite } from './store.ts';

const WHICH: Fields = { asset: reference({ label: { en: 'Asset', zh: '资产' }, to: 'asset' }) };

/** Marks of the caller's own on assets. Whether an asset is granted is asked where it is used. */
export function mountFavorites(app: FastifyInstance, db: Db, mayKnow: (userId: string, assetId: string) => Promise<boolean>): void {
  const url = '/api/v1/assets/favorite-assets/';

  route(app, {
    method: 'GET',
    url,
    access: Permission.USE,
    summary: "The caller's favorites.",
    answer: FAVORITES,
    handler: ({ actor }) => favoritesOf(actor.userId, db),
  });
  route(app, {
    method: 'POST',
    url,
    access: Permission.USE,
    summary: 'Mark an asset.',
    body: WHICH,
    answer: FAVORITE,
    status: 201,
    async handler(context) {
      const { asset } = readBody(context);
      // A caller without a grant for an asset must not learn here that it exists.
      if (!(await mayKnow(context.actor.userId, String(asset)))) throw invalid('asset', 'unknown_object', { value: String(asset) });
      await addFavorite(context.actor.userId, String(asset), db);
      context.reply.code(201);
      return { asset };
    },
  });
  route(app, {
    method: 'DELETE',
    url,
    access: Permission.USE,
    summary: 'Take a mark away.',
    query: WHICH,
    status: 204,
    async handler({ actor, query, reply }) {
      const asset = query.get('asset') ?? '';
      if (!isUuid(asset)) throw notFound();
      await removeFavorite(actor.userId, asset, db);
      reply.code(204);
      return null;
    },
  });
}
