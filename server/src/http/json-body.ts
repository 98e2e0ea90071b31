import type { FastifyInstance } from 'fastify';
import { Rejected } from '../platform/errors.ts';
import { inSlices, type Sliced } from '../platform/slices.ts';
import { readingJson } from './sliced-json.ts';

const TAKES_BODY = new Set(['POST', 'PUT', 'PATCH']);

/**
 * Treats a missing body as an empty object, with any content type: scripts send POST without one.
 */
export function takeAbsentBodies(http: FastifyInstance): void {
  http.addHook('preParsing', (request, _reply, payload, done) => {
    const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
    if (encoding === undefined && Number(length ?? 0) === 0) delete request.headers['content-type'];
    done(null, payload);
  });
  http.addHook('preValidation', (request, _reply, done) => {
    if (request.body === undefined && TAKES_BODY.has(request.method)) request.body = {};
    done();
  });
}

/**
 * Reads a JSON body without holding the event loop, whatever its size; an empty one is undefined.
 *
 * @throws AppError for invalid JSON, and for nesting that could only serve to overflow a stack
 */
export const readJsonBody = (text: string): Promise<unknown> => inSlices(readingBody(text));

function* readingBody(text: string): Sliced<unknown> {
  if (text === '') return undefined;
  try {
    return yield* readingJson(text, () => new Rejected('too_deep'));
  } catch (error) {
    throw error instanceof SyntaxError ? new Rejected('malformed_json') : error;
  }
}

/** Bytes of a form: a message of an identity provider, encoded twice. */
export const MAX_FORM = 500_000;
/** Values of a form; no form of ours has more. */
const MAX_VALUES = 1_000;

/** Reads the values of a form by their names. @throws AppError for a form of too many values */
export function readForm(text: string): Record<string, string> {
  let values = 1;
  for (let at = text.indexOf('&'); at >= 0; at = text.indexOf('&', at + 1))
    if (++values > MAX_VALUES) throw new Rejected('malformed_form');
  return Object.fromEntries(new URLSearchParams(text));
}
