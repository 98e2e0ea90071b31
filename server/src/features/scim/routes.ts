import type { FastifyInstance } from 'fastify';
import type { PublicContext } from '../../http/context.ts';
import { parameter, publicRoute } from '../../http/route.ts';
import { createAllowance } from '../identity/index.ts';
import { type Answer, type AnswerOptions, answer, type Handler, header } from './answer.ts';
import { ScimError } from './errors.ts';
import {
  type ListParameters,
  parametersIn,
  parametersOf,
  selectAttributes,
  selectIn,
} from './list-parameters.ts';
import type { ScimContext, ScimResources, Target } from './resources.ts';
import type { Scim } from './service.ts';
import type { Json } from './wire.ts';

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
