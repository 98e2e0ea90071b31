import type { FastifyInstance } from 'fastify';
import { Rejected } from '../platform/errors.ts';

/** No body needs more than a few levels; code that descends into a body may rely on this. */
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

/** Treats an absent body as an empty object, whatever its content type: scripts post without one. */
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

/** Reads a JSON body; an empty one is none. @throws AppError for what is no JSON, and for nesting that could only serve to overflow a stack */
export function readJsonBody(text: string): unknown {
  if (text === '') return undefined;
  if (isTooDeep(text)) throw new Rejected('too_deep');
  try {
    return JSON.parse(text);
  } catch {
    throw new Rejected('malformed_json');
  }
}
