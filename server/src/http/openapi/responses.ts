import { ERRORS } from '@sallyport/contract';
import { PARSES, RENDERS } from '../resources/metadata.ts';
import type { Schema, Shape } from '../shapes.ts';

/** Error codes are stable: none is removed or changes its meaning. */
const CODES_OF_ALL = Object.keys(ERRORS).sort();

const ERROR: Schema = {
  type: 'object',
  description: 'A stable code, and one sentence in the language of the caller.',
  properties: { code: { type: 'string', enum: CODES_OF_ALL }, detail: { type: 'string' } },
  required: ['code', 'detail'],
};
const SENTENCES: Schema = {
  type: 'object',
  description: 'The sentences of each field.',
  additionalProperties: { type: 'array', items: { type: 'string' } },
};

export const METADATA: Shape = {
  schema: { $ref: '#/components/schemas/Metadata' },
  example: {
    name: 'Label List',
    description: 'Label',
    renders: RENDERS,
    parses: PARSES,
    actions: {},
  },
};

export const REFUSAL_SCHEMAS: Readonly<Record<string, Schema>> = {
  Error: ERROR,
  FieldErrors: SENTENCES,
  ItemErrors: {
    type: 'array',
    description: 'For a list: the sentences of each item, aligned; `{}` for a good one.',
    items: { $ref: '#/components/schemas/FieldErrors' },
  },
  FileErrors: {
    type: 'array',
    description: 'For a file as a whole: sentences.',
    items: { type: 'string' },
  },
  Sentence: { type: 'string', description: 'For a test of the LDAP settings without `detail=1`.' },
  CategoryErrors: {
    type: 'object',
    additionalProperties: { $ref: '#/components/schemas/FieldErrors' },
  },
};

const example = (code: string, detail: string) => ({ code, detail, msg: detail, error: detail });
const CODES: Schema = {
  'X-Error-Code': {
    description: 'The stable code.',
    schema: { type: 'string', enum: CODES_OF_ALL },
  },
};
const FIELD_CODES: Schema = {
  'X-Error-Fields': {
    description: 'The code of each field, of a list with the number of the item before it.',
    schema: { type: 'string' },
    example: 'name=required, 2.ip=not_host',
  },
};
const answer = (
  description: string,
  names: readonly string[],
  shown: unknown,
  headers?: Schema,
): Schema => {
  const schemas = names.map((name) => ({ $ref: `#/components/schemas/${name}` }));
  return {
    description,
    headers: { ...CODES, ...headers },
    content: {
      'application/json': {
        schema: schemas.length === 1 ? schemas[0] : { anyOf: schemas },
        example: shown,
      },
    },
  };
};
const RETRY: Schema = {
  'Retry-After': { description: 'Seconds to wait.', schema: { type: 'integer' } },
};

/** Error answers by status. Each operation names the statuses that it uses. */
export const REFUSALS: Readonly<Record<string, Schema>> = {
  '400': answer(
    'Something that was sent makes no sense; nothing was changed.',
    ['Error', 'FieldErrors', 'ItemErrors', 'CategoryErrors', 'FileErrors', 'Sentence'],
    { name: ['This field is required'] },
    FIELD_CODES,
  ),
  '401': answer(
    'Nobody is signed in.',
    ['Error'],
    example('not_authenticated', 'Sign in to continue.'),
  ),
  '403': answer(
    'Signed in, but without the role that is needed.',
    ['Error'],
    example(
      'permission_denied',
      'You do not have permission to do this. It needs the role administrator.',
    ),
  ),
  '404': answer(
    'It does not exist, or belongs to another organization.',
    ['Error'],
    example('not_found', 'Not found.'),
  ),
  '409': answer(
    'It conflicts with something else.',
    ['Error'],
    example('conflict', 'This was changed by somebody else in the meantime. Reload and try again.'),
  ),
  '413': answer(
    'Too many bytes.',
    ['Error'],
    example('body_too_large', 'The body is larger than 4194304 bytes.'),
  ),
  '415': answer(
    'A type that is not understood.',
    ['Error'],
    example('unsupported_media_type', 'Send the body as application/json.'),
  ),
  '429': answer(
    'Too often.',
    ['Error'],
    example('too_many_requests', 'Too many requests. Try again in 30 seconds.'),
    RETRY,
  ),
  '503': answer(
    'It took too long, or the server is starting or stopping.',
    ['Error'],
    example('timeout', 'The request took too long and was stopped.'),
    RETRY,
  ),
};

const RESPONSE_NAMES: Readonly<Record<string, string>> = {
  '400': 'Invalid',
  '401': 'NotAuthenticated',
  '403': 'PermissionDenied',
  '404': 'NotFound',
  '409': 'Conflict',
  '413': 'TooLarge',
  '415': 'UnsupportedType',
  '429': 'TooMany',
  '503': 'Unavailable',
};

export const REFUSAL_COMPONENTS: Readonly<Record<string, Schema>> = Object.fromEntries(
  Object.entries(REFUSALS).map(([status, refusal]) => [RESPONSE_NAMES[status] ?? status, refusal]),
);

/** References the error answers with these statuses. */
export function refusals(statuses: readonly string[]): Record<string, Schema> {
  return Object.fromEntries(
    statuses.map((status) => [
      status,
      { $ref: `#/components/responses/${RESPONSE_NAMES[status]}` },
    ]),
  );
}
