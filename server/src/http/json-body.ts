import type { FastifyInstance } from 'fastify';
import { Rejected } from '../platform/errors.ts';

/** Maximum nesting. Code that recurses into a body may rely on it. */
const MAX_DEPTH = 64;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN = new Set([0x5b, 0x7b]);
const CLOSE = new Set([0x5d, 0x7d]);

function isTooDeep(text: string): boolean {
  let depth = 0;
  let inString = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) inString = !inString;
    else if (inString) at += code === BACKSLASH ? 1 : 0;
    else if (OPEN.has(code) && ++depth > MAX_DEPTH) return true;
    else if (CLOSE.has(code)) depth--;
  }
  return false;
}

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
 * Parses a JSON body; returns undefined for an empty one. @throws AppError for malformed JSON, and
 * for nesting that could overflow the stack
 */
export function readJsonBody(text: string): unknown {
  if (text === '') return undefined;
  if (isTooDeep(text)) throw new Rejected('too_deep');
  try {
    return JSON.parse(text);
  } catch {
    throw new Rejected('malformed_json');
  }
}
