import { API_VERSION, Permission, RESOURCES, type Resource } from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import { describeOperation, tagOf } from './openapi/operation.ts';
import { REFUSAL_COMPONENTS, REFUSAL_SCHEMAS } from './openapi/responses.ts';
import { inputSchema, rowSchema, schemaName } from './openapi/schemas.ts';
import { type DeclaredRoute, route } from './route.ts';
import { anyObject, type Schema } from './shapes.ts';

/** Descriptions of tags: the first part of a path. */
const TAGS: Readonly<Record<string, string>> = {
  assets: 'Servers, their tree, and the accounts on them.',
  audits: 'What happened: sign-ins, changes, passwords.',
  authentication: 'Signing in.',
  common: 'What several resources share.',
  docs: 'This description.',
  health: 'Whether the server can do its work.',
  orgs: 'Organizations.',
  perms: 'Who may connect to what, and what people are granted.',
  settings: 'How the installation works.',
  terminal: 'Sessions, their commands and recordings.',
  users: 'People, their groups, and the own account.',
  xpack: 'The license and the branding of the pages.',
};

/** The files of the documentation page are no part of the API. */
const PARTS_OF_THE_PAGE = /^\/api\/docs\/(?!openapi\.json)/;

const METADATA: Schema = {
  type: 'object',
  description: 'What a resource is made of, in the language of the caller.',
  properties: {
    name: { type: 'string' },
    description: { type: 'string' },
    renders: { type: 'array', items: { type: 'string' } },
    parses: { type: 'array', items: { type: 'string' } },
    actions: {
      type: 'object',
      description: 'The fields by method; only methods that the caller may use.',
    },
  },
  required: ['name', 'description', 'renders', 'parses'],
};

/** Builds the OpenAPI description from the resource declarations and the routes. */
export function describeApi(
  routes: readonly DeclaredRoute[],
  resources: readonly Resource[] = RESOURCES,
): Schema {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const declared of routes) {
    if (
      declared.socket ||
      !declared.url.startsWith('/api/') ||
      declared.method === 'HEAD' ||
      PARTS_OF_THE_PAGE.test(declared.url)
    )
      continue;
    const path = declared.url.replace(/:(\w+)/g, '{$1}');
    paths[path] = {
      ...paths[path],
      [declared.method.toLowerCase()]: describeOperation(declared, path, resources),
    };
  }
  const used = new Set(Object.keys(paths).map(tagOf));
  return {
    openapi: '3.1.0',
    info: {
      title: 'Sallyport',
      version: API_VERSION,
      description:
        'Everything that the console does. Texts come in the language of the caller, dates in the zone of the X-TZ header.',
      license: { name: 'GPL-2.0-or-later', identifier: 'GPL-2.0-or-later' },
    },
    servers: [{ url: '/' }],
    security: [{ bearer: [] }, { signature: [] }, { cookie: [] }],
    tags: [...used]
      .sort()
      .map((name) => ({ name, ...(TAGS[name] && { description: TAGS[name] }) })),
    paths,
    components: {
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description: 'From POST /api/v1/authentication/auth/',
        },
        signature: {
          type: 'apiKey',
          in: 'header',
          name: 'Authorization',
          description:
            'An access key: `Signature keyId="…",algorithm="hmac-sha256",headers="(request-target) date digest",signature="…"`, the base64 of the HMAC of a line `name: value` for each header, by the secret as it was shown. `(request-target)` is the verb in lower case and the path with its query. A `digest` (or `content-digest`) by sha-256 or sha-512 that is signed as well covers the body.',
        },
        cookie: {
          type: 'apiKey',
          in: 'cookie',
          name: 'sessionid',
          description:
            'A browser session; unsafe methods repeat the csrftoken cookie as X-CSRFToken.',
        },
      },
      schemas: {
        ...Object.fromEntries(
          resources.flatMap((resource) => [
            [schemaName(resource), rowSchema(resource)],
            [schemaName(resource, 'Input'), inputSchema(resource)],
            [schemaName(resource, 'Change'), { ...inputSchema(resource), required: [] }],
          ]),
        ),
        Metadata: METADATA,
        ...REFUSAL_SCHEMAS,
      },
      responses: REFUSAL_COMPONENTS,
    },
  };
}

/** Serves the API description at `/api/docs/openapi.json` to all signed-in users. */
export function mountApiDescription(
  app: FastifyInstance,
  routes: readonly DeclaredRoute[],
  resources?: readonly Resource[],
): void {
  let description: Schema | undefined;
  route(app, {
    method: 'GET',
    url: '/api/docs/openapi.json',
    access: Permission.USE,
    area: 'own',
    summary: 'The description of this API.',
    answer: anyObject({
      openapi: '3.1.0',
      info: { title: 'Sallyport', version: API_VERSION },
      paths: {},
    }),
    handler: () => {
      description ??= describeApi(routes, resources);
      return description;
    },
  });
}
