import { adminUser, asset, gateway, Permission, platform, systemUser } from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import type { Context } from '../../http/context.ts';
import { pageOf } from '../../http/page.ts';
import { answerList } from '../../http/resources/answer-list.ts';
import { parameter, route } from '../../http/route.ts';
import { pagedListOf, rowOf } from '../../http/shapes.ts';
import { notFound } from '../../platform/errors.ts';
import { type Engines, engineOf } from '../../resources/engines.ts';

/**
 * Mounts reads below one object that clients of API version 2.1 send. Each one is a filter of a
 * list, with its rows and without stored secrets.
 */
export function mountEstablishedReads(app: FastifyInstance, engines: Engines): void {
  const { reader: assets } = engineOf(engines, asset);
  const read = { method: 'GET', access: Permission.ADMIN, area: 'assets' } as const;
  const assetOf = (context: Context) => assets.retrieve(parameter(context, 'id'), context);

  route(app, {
    ...read,
    url: '/api/v1/assets/assets/:id/gateways/',
    summary: 'The active SSH gateways of the domain of an asset.',
    answer: pagedListOf(rowOf(gateway)),
    async handler(context) {
      const { domain } = await assetOf(context);
      if (!domain) return pageOf(context, []);
      const query = new URLSearchParams({ domain: String(domain) });
      const rows = (await engineOf(engines, gateway).reader.list(query, context)) ?? [];
      const all = Array.isArray(rows) ? rows : rows.results;
      return pageOf(
        context,
        all.filter(({ is_active, protocol }) => is_active === true && protocol === 'ssh'),
      );
    },
  });
  route(app, {
    ...read,
    url: '/api/v1/assets/assets/:id/platform/',
    summary: 'The platform of an asset.',
    answer: rowOf(platform),
    async handler(context) {
      const { platform: name } = await assetOf(context);
      const query = new URLSearchParams({ name: String(name), limit: '1' });
      const rows = (await engineOf(engines, platform).reader.list(query, context)) ?? [];
      const [row] = Array.isArray(rows) ? rows : rows.results;
      if (!row) throw notFound();
      return row;
    },
  });

  for (const [account, filter] of [
    [adminUser, 'admin_user__id'],
    [systemUser, 'system_user_id'],
  ] as const)
    route(app, {
      ...read,
      url: `/api/v1/${account.path}/:id/assets/`,
      summary: `The assets of a ${account.title.en.toLowerCase()}.`,
      answer: pagedListOf(rowOf(asset)),
      async handler(context) {
        const { id } = await engineOf(engines, account).reader.retrieve(
          parameter(context, 'id'),
          context,
        );
        context.query.set(filter, String(id));
        return answerList({ resource: asset, ...assets }, context);
      },
    });
}
