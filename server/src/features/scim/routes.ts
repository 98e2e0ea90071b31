import type { FastifyInstance } from 'fastify';
import type { PublicContext } from '../../http/context.ts';
import { parameter, publicRoute } from '../../http/route.ts';
import type { Db } from '../../platform/db/database.ts';
import { TooManyRequests } from '../../platform/errors.ts';
import type { Logger } from '../../platform/log.ts';
import { countUse, createAllowance, type RateLimit, siteOf } from '../identity/index.ts';
import { errorBody, ScimError } from './errors.ts';
import type { ListQuery, ListResponse } from './list.ts';
import type { Scim, ScimContext } from './service.ts';
import { findToken } from './tokens.ts';
import type { Json } from './wire.ts';

export interface ScimRouteOptions {
  readonly db: Db;
  readonly scim: () => Promise<Scim>;
  readonly isOn: () => boolean;
  /** Rate limit of addresses that send wrong tokens. */
  readonly limit: RateLimit;
  readonly publicUrl: string | undefined;
  readonly log: Logger;
}

const MEDIA_TYPE = 'application/scim+json; charset=utf-8';
const MAX_BODY = 4 * 1024 * 1024;
/** Maximum burst of requests per token, and requests per second after it. */
const BURST = 2_000;
const PER_SECOND = 50;

interface Answer {
  readonly status: number;
  readonly body?: Json;
}
type Handler = (context: PublicContext, scim: ScimContext) => Promise<Answer>;

const ok = (body: Json): Answer => ({ status: 200, body });
const header = ({ request }: PublicContext, name: string): string | undefined => {
  const value = request.headers[name];
  return typeof value === 'string' ? value : undefined;
};

const integer = (value: unknown, name: string): number | undefined => {
  if (value === null || value === undefined || value === '') return undefined;
  if (!/^-?\d{1,9}$/.test(String(value)))
    throw new ScimError(400, `${name} is no number.`, 'invalidValue');
  return Number(value);
};
const names = (value: string | null): readonly string[] =>
  (value ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean);

interface ListParameters {
  readonly query: ListQuery;
  readonly attributes: readonly string[];
  readonly excludedAttributes: readonly string[];
}

/** Reads the parameters of a list from the address. */
function parametersOf(query: URLSearchParams): ListParameters {
  return {
    query: {
      filter: query.get('filter') ?? undefined,
      sortBy: query.get('sortBy') ?? undefined,
      descending: query.get('sortOrder')?.toLowerCase() === 'descending',
      startIndex: integer(query.get('startIndex'), 'startIndex') ?? 1,
      count: integer(query.get('count'), 'count'),
    },
    attributes: names(query.get('attributes')),
    excludedAttributes: names(query.get('excludedAttributes')),
  };
}

/** Reads the parameters of a search by POST (RFC 7644, 3.4.3) from the body. */
function parametersIn(body: unknown): ListParameters {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new ScimError(400, 'The body is no object.', 'invalidSyntax');
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(body))
    if (name !== 'schemas') query.set(name, Array.isArray(value) ? value.join(',') : String(value));
  return parametersOf(query);
}

type Selection = Omit<ListParameters, 'query'>;

const selectAttributes = async (
  resource: Json,
  { attributes, excludedAttributes }: Selection,
): Promise<Json> =>
  attributes.length + excludedAttributes.length === 0
    ? resource
    : (await import('./wire.ts')).selectAttributes(resource, attributes, excludedAttributes);

/** Selects the attributes of each resource in a list. */
const selectIn = async (list: ListResponse, selection: Selection): Promise<ListResponse> => ({
  ...list,
  Resources: await Promise.all(list.Resources.map((one) => selectAttributes(one, selection))),
});

/**
 * Mounts SCIM 2.0 (RFC 7644) for identity providers. Each request carries a token from the
 * settings.
 */
export function mountScim(
  app: FastifyInstance,
  { db, scim, isOn, limit, publicUrl, log }: ScimRouteOptions,
): void {
  const allowance = createAllowance(BURST, PER_SECOND);

  const authenticated = async (context: PublicContext): Promise<ScimContext> => {
    if (!isOn()) throw new ScimError(404, 'SCIM is not enabled.');
    const [scheme, presented = ''] = (header(context, 'authorization') ?? '').split(' ');
    const token =
      scheme?.toLowerCase() === 'bearer'
        ? await findToken(presented, context.request.ip, db)
        : undefined;
    if (!token) {
      // Only requests with a wrong token are limited by address.
      await limit(context);
      context.reply.header('www-authenticate', 'Bearer realm="scim"');
      throw new ScimError(401, 'The token is missing, wrong, or has ended.');
    }
    countUse(allowance, token.id);
    return { token, remoteAddress: context.request.ip, site: siteOf(context, publicUrl) };
  };

  const answering = async (context: PublicContext, run: Handler) => {
    const { reply } = context;
    reply.header('content-type', MEDIA_TYPE).header('cache-control', 'no-store');
    try {
      const { status, body } = await run(context, await authenticated(context));
      const meta = body?.meta as { version?: string; location?: string } | undefined;
      if (meta?.version) reply.header('etag', meta.version);
      if (status === 201 && meta?.location) reply.header('location', meta.location);
      if (status === 200 && meta?.version && header(context, 'if-none-match') === meta.version)
        return reply.code(304).send();
      return reply.code(status).send(body === undefined ? undefined : JSON.stringify(body));
    } catch (error) {
      if (error instanceof ScimError)
        return reply.code(error.status).send(JSON.stringify(errorBody(error)));
      if (error instanceof TooManyRequests) {
        reply.header('retry-after', '1');
        return reply.code(429).send(
          JSON.stringify(
            errorBody({
              status: 429,
              scimType: undefined,
              message: 'There are too many requests. Slow down.',
            }),
          ),
        );
      }
      log.error({ err: error }, 'a request of SCIM failed');
      return reply
        .code(500)
        .send(
          JSON.stringify(
            errorBody({ status: 500, scimType: undefined, message: 'The server could not do it.' }),
          ),
        );
    }
  };

  const add = (
    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    path: string,
    summary: string,
    run: Handler,
  ) =>
    publicRoute(app, {
      method,
      url: `/scim/v2/${path}`,
      summary,
      bodyLimit: MAX_BODY,
      handler: (context) => answering(context, run),
    });

  const documents = () => import('./schemas.ts');
  const okOrNotFound = (body: Json | undefined): Answer => {
    if (!body) throw new ScimError(404, 'Resource not found.');
    return ok(body);
  };
  add('GET', 'ServiceProviderConfig', 'What SCIM can do here.', async (_context, { site }) =>
    ok((await documents()).configuration(site)),
  );
  add('GET', 'ResourceTypes', 'The kinds of SCIM resources.', async (_context, { site }) =>
    okOrNotFound((await documents()).resourceTypes(site)),
  );
  add('GET', 'ResourceTypes/:id', 'One kind of SCIM resources.', async (context, { site }) =>
    okOrNotFound((await documents()).resourceTypes(site, parameter(context, 'id'))),
  );
  add('GET', 'Schemas', 'The schemas of SCIM.', async (_context, { site }) =>
    okOrNotFound((await documents()).schemas(site)),
  );
  add('GET', 'Schemas/:id', 'One schema of SCIM.', async (context, { site }) =>
    okOrNotFound((await documents()).schemas(site, parameter(context, 'id'))),
  );

  // Rejected with the status of the standard: a token belongs to no user (RFC 7644, 3.11), and bulk
  // operations (3.7) are not supported.
  const refusing = (detail: string) => async (): Promise<Answer> => {
    throw new ScimError(501, detail);
  };
  for (const method of ['GET', 'PUT', 'PATCH', 'POST', 'DELETE'] as const)
    add(
      method,
      'Me',
      'Refused: a token belongs to no user (SCIM).',
      refusing('A token belongs to no user: ask for /Users.'),
    );
  add(
    'POST',
    'Bulk',
    'Refused: changes come one by one (SCIM).',
    refusing('Bulk is not supported: send one request for each change.'),
  );

  // Both kinds at once (RFC 7644, 3.4.3): users first.
  add('POST', '.search', 'Find users and groups (SCIM).', async (context, who) => {
    const parameters = parametersIn(context.request.body);
    const { listUsers, listGroups } = await scim();
    const { searchAll } = await import('./list.ts');
    return ok(
      await selectIn(
        await searchAll(
          [(query) => listUsers(query, who), (query) => listGroups(query, who)],
          parameters.query,
        ),
        parameters,
      ),
    );
  });

  for (const [path, what, of] of [
    [
      'Users',
      'user',
      (all: Scim) => ({
        list: all.listUsers,
        get: all.getUser,
        create: all.createUser,
        replace: all.replaceUser,
        patch: all.patchUser,
        remove: all.deleteUser,
      }),
    ],
    [
      'Groups',
      'group',
      (all: Scim) => ({
        list: all.listGroups,
        get: all.getGroup,
        create: all.createGroup,
        replace: all.replaceGroup,
        patch: all.patchGroup,
        remove: all.deleteGroup,
      }),
    ],
  ] as const) {
    const tools = async () => of(await scim());
    const list = async (parameters: ListParameters, context: ScimContext): Promise<Answer> =>
      ok(await selectIn(await (await tools()).list(parameters.query, context), parameters));
    const id = (context: PublicContext) => parameter(context, 'id');
    const match = (context: PublicContext) => header(context, 'if-match');

    add('GET', path, `Find ${what}s (SCIM).`, (context, who) =>
      list(parametersOf(context.query), who),
    );
    add(
      'POST',
      `${path}/.search`,
      `Find ${what}s (SCIM), with the question in the body.`,
      (context, who) => list(parametersIn(context.request.body), who),
    );
    add('GET', `${path}/:id`, `Read a ${what} (SCIM).`, async (context, who) =>
      ok(
        await selectAttributes(
          await (await tools()).get(id(context), who),
          parametersOf(context.query),
        ),
      ),
    );
    add('POST', path, `Create a ${what} (SCIM).`, async (context, who) => ({
      status: 201,
      body: await (await tools()).create(context.request.body, who),
    }));
    add('PUT', `${path}/:id`, `Replace a ${what} (SCIM).`, async (context, who) =>
      ok(await (await tools()).replace(id(context), context.request.body, match(context), who)),
    );
    add('PATCH', `${path}/:id`, `Change a ${what} (SCIM).`, async (context, who) =>
      ok(await (await tools()).patch(id(context), context.request.body, match(context), who)),
    );
    add('DELETE', `${path}/:id`, `Delete a ${what} (SCIM).`, async (context, who) => {
      await (await tools()).remove(id(context), match(context), who);
      return { status: 204 };
    });
  }
}
