import type { FastifyInstance } from 'fastify';
import type { PublicContext } from '../../http/context.ts';
import { parameter, publicRoute } from '../../http/route.ts';
import type { Db } from '../../platform/db/database.ts';
import { TooManyRequests } from '../../platform/errors.ts';
import type { Logger } from '../../platform/log.ts';
import {
  type Allowance,
  countUse,
  createAllowance,
  type RateLimit,
  siteOf,
} from '../identity/index.ts';
import { errorBody, ScimError } from './errors.ts';
import {
  type ListParameters,
  parametersIn,
  parametersOf,
  selectAttributes,
  selectIn,
} from './list.ts';
import type { ScimContext, ScimResources, Target } from './resources.ts';
import type { Scim } from './service.ts';
import { findToken } from './tokens.ts';
import type { Json } from './wire.ts';

const MEDIA_TYPE = 'application/scim+json; charset=utf-8';

interface AnswerOptions {
  readonly db: Db;
  readonly isOn: () => boolean;
  /** Rate limit of addresses that send wrong tokens. */
  readonly limit: RateLimit;
  /** Rate limit of each token. */
  readonly allowance: Allowance;
  readonly publicUrl: string | undefined;
  readonly log: Logger;
}

interface Answer {
  readonly status: number;
  readonly body?: Json;
}

/** Handles a request whose token is valid. */
type Handler = (context: PublicContext, scim: ScimContext) => Promise<Answer>;

function header({ request }: PublicContext, name: string): string | undefined {
  const value = request.headers[name];
  return typeof value === 'string' ? value : undefined;
}

/** Returns the token of a request. @throws ScimError, TooManyRequests */
async function authenticate(
  { db, isOn, limit, allowance, publicUrl }: AnswerOptions,
  context: PublicContext,
): Promise<ScimContext> {
  if (!isOn()) throw new ScimError(404, 'SCIM is not enabled.');
  const { ip } = context.request;
  const [scheme, presented = ''] = (header(context, 'authorization') ?? '').split(' ');
  const token = scheme?.toLowerCase() === 'bearer' ? await findToken(presented, ip, db) : undefined;
  if (!token) {
    // Only requests with a wrong token are limited by address.
    await limit(context);
    context.reply.header('www-authenticate', 'Bearer realm="scim"');
    throw new ScimError(401, 'The token is missing, wrong, or has ended.');
  }
  if (token.isOfTest && context.request.method !== 'GET')
    throw new ScimError(403, 'The token of a test only reads.');
  countUse(allowance, token.id);
  return { token, remoteAddress: ip, site: siteOf(context, publicUrl) };
}

/** Authenticates a request, runs its handler, and sends the answer or the error of SCIM. */
async function answer(options: AnswerOptions, context: PublicContext, run: Handler) {
  const { reply } = context;
  reply.header('content-type', MEDIA_TYPE).header('cache-control', 'no-store');
  try {
    const { status, body } = await run(context, await authenticate(options, context));
    const meta = body?.meta as { version?: string; location?: string } | undefined;
    if (meta?.version) reply.header('etag', meta.version);
    if (status === 201 && meta?.location) reply.header('location', meta.location);
    if (status === 200 && meta?.version && header(context, 'if-none-match') === meta.version)
      return reply.code(304).send();
    return reply.code(status).send(body === undefined ? undefined : JSON.stringify(body));
  } catch (error) {
    const rejection = scimError(error, options.log);
    if (rejection.status === 429) reply.header('retry-after', '1');
    return reply.code(rejection.status).send(JSON.stringify(errorBody(rejection)));
  }
}

/** Converts an error to one of SCIM. Logs an unexpected error. */
function scimError(error: unknown, log: Logger): Parameters<typeof errorBody>[0] {
  if (error instanceof ScimError) return error;
  if (error instanceof TooManyRequests)
    return {
      status: 429,
      scimType: undefined,
      message: 'There are too many requests. Slow down.',
    };
  log.error({ err: error }, 'a request of SCIM failed');
  return { status: 500, scimType: undefined, message: 'The server could not do it.' };
}

export interface ScimRouteOptions extends Omit<AnswerOptions, 'allowance'> {
  readonly scim: () => Promise<Scim>;
}

const MAX_BODY = 4 * 1024 * 1024;
/** Maximum burst of requests per token, and requests per second after it. */
const BURST = 2_000;
const PER_SECOND = 50;

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
/** Adds a route below `/scim/v2/`. */
type Add = (method: Method, path: string, summary: string, run: Handler) => void;

/**
 * Mounts SCIM 2.0 (RFC 7644) for identity providers. Each request carries a token from the
 * settings.
 */
export function mountScim(app: FastifyInstance, { scim, ...rest }: ScimRouteOptions): void {
  const options: AnswerOptions = { ...rest, allowance: createAllowance(BURST, PER_SECOND) };
  const add: Add = (method, path, summary, run) =>
    publicRoute(app, {
      method,
      url: `/scim/v2/${path}`,
      summary,
      bodyLimit: MAX_BODY,
      handler: (context) => answer(options, context, run),
    });
  mountDocuments(add);
  mountRefusals(add);
  add('POST', '.search', 'Find users and groups (SCIM).', async (context, who) =>
    search(await scim(), context, who),
  );
  mountResources(add, { path: 'Users', what: 'user', of: async () => (await scim()).users });
  mountResources(add, { path: 'Groups', what: 'group', of: async () => (await scim()).groups });
}

const documents = () => import('./schemas.ts');

const ok = (body: Json): Answer => ({ status: 200, body });

function okOrNotFound(body: Json | undefined): Answer {
  if (!body) throw new ScimError(404, 'Resource not found.');
  return ok(body);
}

/** Adds the routes that describe this server. */
function mountDocuments(add: Add): void {
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
}

/**
 * Adds routes that are rejected with the status of the standard: a token belongs to no user
 * (RFC 7644, 3.11), and bulk operations (3.7) are not supported.
 */
function mountRefusals(add: Add): void {
  const refuse = (detail: string) => async (): Promise<Answer> => {
    throw new ScimError(501, detail);
  };
  for (const method of ['GET', 'PUT', 'PATCH', 'POST', 'DELETE'] as const)
    add(
      method,
      'Me',
      'Refused: a token belongs to no user (SCIM).',
      refuse('A token belongs to no user: ask for /Users.'),
    );
  add(
    'POST',
    'Bulk',
    'Refused: changes come one by one (SCIM).',
    refuse('Bulk is not supported: send one request for each change.'),
  );
}

/** Searches both kinds at once (RFC 7644, 3.4.3), users first. */
async function search({ users, groups }: Scim, context: PublicContext, who: ScimContext) {
  const parameters = parametersIn(context.request.body);
  const { searchAll } = await import('./list.ts');
  const matches = await searchAll(
    [(query) => users.list(query, who), (query) => groups.list(query, who)],
    parameters.query,
  );
  return ok(await selectIn(matches, parameters));
}

interface MountedKind {
  readonly path: string;
  readonly what: string;
  readonly of: () => Promise<ScimResources>;
}

/** Adds the routes of one kind of resources. */
function mountResources(add: Add, { path, what, of }: MountedKind): void {
  const list = async (parameters: ListParameters, who: ScimContext): Promise<Answer> =>
    ok(await selectIn(await (await of()).list(parameters.query, who), parameters));
  const target = (context: PublicContext): Target => ({
    id: parameter(context, 'id'),
    match: header(context, 'if-match'),
  });

  add('GET', path, `Find ${what}s (SCIM).`, (context, who) =>
    list(parametersOf(context.query), who),
  );
  add(
    'POST',
    `${path}/.search`,
    `Find ${what}s (SCIM), with the question in the body.`,
    (context, who) => list(parametersIn(context.request.body), who),
  );
  add('GET', `${path}/:id`, `Read a ${what} (SCIM).`, async (context, who) => {
    const resource = await (await of()).get(parameter(context, 'id'), who);
    return ok(await selectAttributes(resource, parametersOf(context.query)));
  });
  add('POST', path, `Create a ${what} (SCIM).`, async ({ request }, who) => ({
    status: 201,
    body: await (await of()).create(request.body, who),
  }));
  add('PUT', `${path}/:id`, `Replace a ${what} (SCIM).`, async (context, who) =>
    ok(await (await of()).replace(target(context), context.request.body, who)),
  );
  add('PATCH', `${path}/:id`, `Change a ${what} (SCIM).`, async (context, who) =>
    ok(await (await of()).patch(target(context), context.request.body, who)),
  );
  add('DELETE', `${path}/:id`, `Delete a ${what} (SCIM).`, async (context, who) => {
    await (await of()).remove(target(context), who);
    return { status: 204 };
  });
}
