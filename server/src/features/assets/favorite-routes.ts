import { type FavoriteAsset, type Fields, isUuid, Permission, reference } from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import { sql } from 'kysely';
import { invalid, notFound } from '../../http/problem.ts';
import { readBody, route } from '../../http/route.ts';
import { FAVORITE, FAVORITES } from '../../http/wire-shapes.ts';
import type { Db } from '../../platform/db/database.ts';

const WHICH: Fields = { asset: reference({ label: { en: 'Asset', zh: '资产' }, to: 'asset' }) };

/** Marks of the caller's own on assets (assets reference §11). Whether an asset is granted is asked where it is used. */
export function mountFavorites(app: FastifyInstance, db: Db, mayKnow: (userId: string, assetId: string) => Promise<boolean>): void {
  const url = '/api/v1/assets/favorite-assets/';
  const list = async (userId: string): Promise<FavoriteAsset[]> =>
    (await sql<FavoriteAsset>`select asset_id as asset from favorite_asset where user_id = ${userId} order by date_created`.execute(db)).rows;

  route(app, {
    method: 'GET',
    url,
    access: Permission.USE,
    summary: "The caller's favourites.",
    answer: FAVORITES,
    handler: ({ actor }) => list(actor.userId),
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
      // Whoever is not granted an asset must not find out here that it exists.
      if (!(await mayKnow(context.actor.userId, String(asset)))) throw invalid('asset', 'unknown_object', { value: String(asset) });
      await sql`insert into favorite_asset (user_id, asset_id) values (${context.actor.userId}, ${asset}) on conflict do nothing`.execute(db);
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
      await sql`delete from favorite_asset where user_id = ${actor.userId} and asset_id = ${asset}`.execute(db);
      reply.code(204);
      return null;
    },
  });
}
