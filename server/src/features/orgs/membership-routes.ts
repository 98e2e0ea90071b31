import { isUuid, MEMBERSHIPS, organization } from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import type { Context } from '../../http/context.ts';
import { exampleId } from '../../http/openapi/examples.ts';
import { pairShapesOf } from '../../http/openapi/schemas.ts';
import { pageOf } from '../../http/page.ts';
import { answerList } from '../../http/resources/answer-list.ts';
import { parameter, route } from '../../http/route.ts';
import { pagedListOf, samples } from '../../http/shapes.ts';
import { notFound } from '../../platform/errors.ts';
import { type Engines, engineOf } from '../../resources/engines.ts';
import type { ResourceServices } from '../../resources/hooks.ts';
import { createPairs } from '../../resources/relations/pairs.ts';
import { type Member, membersOf } from './store.ts';

/** Routes for the members of an organization, by role and all together. */
export function mountMembership(
  app: FastifyInstance,
  engines: Engines,
  services: ResourceServices,
): void {
  const { read = 0, update = 0 } = organization.access;
  /** The id of the organization in the path. @throws NotFound */
  const organizationId = async (context: Context) =>
    String(
      (await engineOf(engines, organization).reader.retrieve(parameter(context, 'id'), context)).id,
    );
  const user = (context: Context): string => {
    const id = parameter(context, 'user');
    if (!isUuid(id)) throw notFound();
    return id;
  };

  for (const relation of MEMBERSHIPS) {
    const pairs = createPairs(relation, engines, services);
    const listUrl = `/api/v1/${relation.path}/`;
    const itemUrl = `${listUrl}:user/`;
    const what = relation.pair.title.en.toLowerCase();
    const shapes = pairShapesOf(relation.pair, 'organization');
    route(app, {
      method: 'GET',
      url: listUrl,
      access: read,
      area: 'groups',
      summary: `List: ${what}.`,
      answer: shapes.list,
      handler: async (context) =>
        answerList(pairs.list({ organization: await organizationId(context) }), context),
    });
    route(app, {
      method: 'POST',
      url: listUrl,
      access: update,
      area: 'groups',
      summary: `Add one or several: ${what}.`,
      bodyShape: shapes.sent,
      answer: shapes.oneOrMany,
      status: 201,
      async handler(context) {
        const { body } = context.request;
        const id = await organizationId(context);
        const fill = (one: unknown) =>
          typeof one === 'object' && one !== null && !Array.isArray(one)
            ? { ...one, organization: id }
            : one;
        const added = Array.isArray(body)
          ? await pairs.add(body.map(fill), context, false)
          : (await pairs.add([fill(body)], context, true))[0];
        context.reply.code(201);
        return added;
      },
    });
    route(app, {
      method: 'GET',
      url: itemUrl,
      access: read,
      area: 'groups',
      summary: `Read: ${what}.`,
      answer: shapes.one,
      handler: async (context) =>
        pairs.one({ organization: await organizationId(context), user: user(context) }, context),
    });
    route(app, {
      method: 'DELETE',
      url: itemUrl,
      access: update,
      area: 'groups',
      summary: `Remove: ${what}.`,
      status: 204,
      async handler(context) {
        await pairs.remove(
          { organization: await organizationId(context), user: user(context) },
          context,
        );
        context.reply.code(204);
        return null;
      },
    });
  }

  route(app, {
    method: 'GET',
    url: '/api/v1/orgs/:id/users/all/',
    access: read,
    area: 'groups',
    summary: 'List all members of an organization in any role.',
    answer: pagedListOf(
      samples<Member>({ user: exampleId('user'), user_display: 'Li Wei(li.wei)' }),
    ),
    async handler(context) {
      const id = await organizationId(context);
      const search = (context.query.get('search') ?? '')
        .replaceAll('\u0000', '')
        .slice(0, 256)
        .toLowerCase();
      return pageOf(context, await membersOf(id, search, services.db));
    },
  });
}
