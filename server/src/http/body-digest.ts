import { createHash, timingSafeEqual } from 'node:crypto';
import { pipeline, Transform } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Rejected } from '../platform/errors.ts';

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
