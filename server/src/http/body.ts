import { createHash, timingSafeEqual } from 'node:crypto';
import { pipeline, Transform } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Rejected } from '../platform/errors.ts';
import { inSlices, type Sliced } from '../platform/slices.ts';

const TAKES_BODY = new Set(['POST', 'PUT', 'PATCH']);

/**
 * Treats a missing body as an empty object, with any content type: scripts send POST without one.
 * A body without a content type is JSON.
 */
export function takeAbsentBodies(http: FastifyInstance): void {
  http.addHook('preParsing', (request, _reply, payload, done) => {
    const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
    if (encoding === undefined && Number(length ?? 0) === 0) delete request.headers['content-type'];
    else request.headers['content-type'] ??= 'application/json';
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
  return Object.fromEntries(new URLSearchParams(withSpaces(text)));
}

/** A plus sign is a space. URLSearchParams needs 30 ms for those of the longest form. */
function withSpaces(text: string): string {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at++) if (bytes[at] === PLUS) bytes[at] = SPACE;
  return bytes.toString();
}

/** No body needs more than a few levels; code that descends into a body may rely on this. */
const MAX_DEPTH = 64;
/** Characters that `JSON.parse` reads in one turn of the event loop. */
const CHUNK = 32_768;

const SPACE = 0x20;
const QUOTE = 0x22;
const PLUS = 0x2b;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const BLANK = /^[ \t\n\r]*$/;
const OPEN = new Set([0x5b, 0x7b]);
const CLOSE = new Set([0x5d, 0x7d]);

/** Index behind the string that begins at `at`. Escapes are skipped, not checked. */
function* behindString(text: string, at: number): Sliced<number> {
  let end = at + 1;
  for (let steps = 1; end < text.length; end++, steps++) {
    const code = text.charCodeAt(end);
    if (code === QUOTE) return end + 1;
    if (code === BACKSLASH) end++;
    if (steps % CHUNK === 0) yield;
  }
  throw new SyntaxError('a string without an end');
}

function* assertDepth(text: string, tooDeep: () => Error): Sliced<void> {
  let depth = 0;
  let inString = false;
  for (let at = 0, steps = 1; at < text.length; at++, steps++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) inString = !inString;
    else if (inString) at += code === BACKSLASH ? 1 : 0;
    else if (OPEN.has(code) && ++depth > MAX_DEPTH) throw tooDeep();
    else if (CLOSE.has(code)) depth--;
    if (steps % CHUNK === 0) yield;
  }
}

/** The positions of the members of a list or an object, and of the colons of an object. */
interface Member {
  readonly from: number;
  readonly to: number;
  readonly colon: number | undefined;
}

/**
 * Passes the members of the list or object that begins at `open` to `take`. Returns the index of
 * its closing bracket.
 */
function* membersOf(
  text: string,
  open: number,
  take: (member: Member) => Sliced<void>,
): Sliced<number> {
  let depth = 0;
  let from = open + 1;
  let colon: number | undefined;
  for (let at = from, steps = 1; at < text.length; at++, steps++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = (yield* behindString(text, at)) - 1;
    else if (OPEN.has(code)) depth++;
    else if (depth > 0) depth -= CLOSE.has(code) ? 1 : 0;
    else if (code === COLON) colon ??= at;
    else if (code === COMMA || CLOSE.has(code)) {
      yield* take({ from, to: at, colon });
      if (code !== COMMA) return at;
      from = at + 1;
      colon = undefined;
    }
    if (steps % CHUNK === 0) yield;
  }
  throw new SyntaxError('a bracket without an end');
}

function* parsedOf(text: string): Sliced<unknown> {
  const open = text.search(/[^ \t\n\r]/);
  const isList = text[open] === '[';
  // A string or number: `JSON.parse` reads megabytes of one in a few milliseconds.
  if (text.length <= CHUNK || !(isList || text[open] === '{')) return JSON.parse(text);
  const [before, after] = isList ? '[]' : '{}';
  const list: unknown[] = [];
  const object: Record<string, unknown> = {};
  const keep = (name: string, value: unknown) => {
    // `__proto__` is a name like any other in JSON.
    if (name === '__proto__')
      Object.defineProperty(object, name, {
        value,
        writable: true,
        enumerable: true,
        configurable: true,
      });
    else object[name] = value;
  };
  /** Reads the small members from `begin` to `end` at once. */
  const flush = (begin: number, end: number) => {
    const read: unknown = JSON.parse(`${before}${text.slice(begin, end)}${after}`);
    if (Array.isArray(read)) for (const one of read) list.push(one);
    else for (const [name, value] of Object.entries(read as object)) keep(name, value);
  };
  let begin = open + 1;
  const end = yield* membersOf(text, open, function* ({ from, to, colon }) {
    const isBlank = BLANK.test(text.slice(from, to));
    // Only an empty list or object has a blank member.
    if (isBlank && (from > open + 1 || text[to] === ',')) throw new SyntaxError('a blank member');
    if (isBlank) begin = to;
    else if (to - from > CHUNK) {
      if (begin < from) flush(begin, from - 1);
      const value = yield* parsedOf(
        text.slice(colon === undefined || isList ? from : colon + 1, to),
      );
      if (isList) list.push(value);
      else keep(nameOf(text.slice(from, colon ?? from)), value);
      begin = to + 1;
    } else if (to - begin > CHUNK) {
      flush(begin, to);
      begin = to + 1;
      yield;
    }
  });
  if (text[end] !== after || !BLANK.test(text.slice(end + 1)))
    throw new SyntaxError('an unexpected end');
  if (begin < end) flush(begin, end);
  return isList ? list : object;
}

function nameOf(text: string): string {
  const name: unknown = JSON.parse(text);
  if (typeof name !== 'string') throw new SyntaxError('a name that is no text');
  return name;
}

/**
 * Reads JSON exactly as `JSON.parse` does, with a pause after each part of a large text.
 *
 * @throws SyntaxError for invalid JSON, and the error of `tooDeep` for deeply nested values
 */
export function* readingJson(text: string, tooDeep: () => Error): Sliced<unknown> {
  yield* assertDepth(text, tooDeep);
  return yield* parsedOf(text);
}

interface Expected {
  readonly algorithm: 'sha256' | 'sha512';
  readonly digest: Buffer;
}

const ALGORITHMS: Readonly<Record<string, Expected['algorithm']>> = {
  'sha-256': 'sha256',
  'sha-512': 'sha512',
};
/** Headers with a digest of the body (RFC 3230 and RFC 9530). */
export const DIGEST_HEADERS: readonly string[] = ['digest', 'content-digest', 'repr-digest'];

const expectations = new WeakMap<FastifyRequest, readonly Expected[]>();

/** Parses `SHA-256=…, …` or `sha-256=:…:, …`. Ignores unknown algorithms. */
function parseDigests(header: string): Expected[] {
  return header
    .slice(0, 4_096)
    .split(',')
    .flatMap((member): Expected[] => {
      const [, name = '', value = ''] =
        /^\s*([\w-]+)\s*=\s*:?([\w+/]+={0,2}):?\s*$/.exec(member) ?? [];
      const algorithm = ALGORITHMS[name.toLowerCase()];
      return algorithm ? [{ algorithm, digest: Buffer.from(value, 'base64') }] : [];
    });
}

/**
 * Requires the body to match the digests in `headers`; the hook of `checkBodyDigests` verifies
 * them. @throws AppError if a header has no digest with a known algorithm
 */
export function expectDigests(request: FastifyRequest, headers: readonly string[]): void {
  const expected = headers.map((name) => parseDigests(String(request.headers[name] ?? '')));
  if (expected.some((digests) => digests.length === 0)) throw new Rejected('digest_unknown');
  if (expected.length > 0) expectations.set(request, expected.flat());
}

/**
 * Returns a stream that passes the body through and fails at its end if a digest does not match.
 */
function createDigestCheck(
  expected: readonly Expected[],
): Transform & { receivedEncodedLength: number } {
  const hashes = expected.map(({ algorithm }) => createHash(algorithm));
  const stream = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      for (const hash of hashes) hash.update(chunk);
      counted.receivedEncodedLength += chunk.length;
      done(null, chunk);
    },
    flush(done) {
      const isSame = expected.every(({ digest }, index) => {
        const actual = hashes[index]?.digest() ?? Buffer.alloc(0);
        return actual.length === digest.length && timingSafeEqual(actual, digest);
      });
      done(isSame ? null : new Rejected('digest_mismatch'));
    },
  });
  const counted = Object.assign(stream, { receivedEncodedLength: 0 });
  return counted;
}

/** Verifies digests while the body arrives. */
export function checkBodyDigests(http: FastifyInstance): void {
  http.addHook('preParsing', async (request, _reply, payload) => {
    const expected = expectations.get(request);
    if (!expected) return payload;
    const stream = createDigestCheck(expected);
    const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
    if (encoding !== undefined || Number(length ?? 0) > 0)
      return pipeline(payload, stream, () => undefined);
    // Without a body nothing reads the stream: drain it, to compare the digest of an empty body.
    const failed = new Promise<void>((resolve, reject) =>
      stream.once('error', reject).once('end', resolve),
    );
    stream.resume().end();
    await failed;
    return payload;
  });
}
