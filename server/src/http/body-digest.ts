import { createHash, timingSafeEqual } from 'node:crypto';
import { pipeline, Transform } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Rejected } from '../platform/errors.ts';

/** The digests that the sender declared for the body of a request. */
interface Expected {
  readonly algorithm: 'sha256' | 'sha512';
  readonly digest: Buffer;
}

const ALGORITHMS: Readonly<Record<string, Expected['algorithm']>> = {
  'sha-256': 'sha256',
  'sha-512': 'sha512',
};
/** Headers that tell a digest of the body: of RFC 3230, and of RFC 9530. */
export const DIGEST_HEADERS: readonly string[] = ['digest', 'content-digest', 'repr-digest'];

const expectations = new WeakMap<FastifyRequest, readonly Expected[]>();

/** Reads `SHA-256=…, …` or `sha-256=:…:, …`; members by algorithms that we do not know are left out. */
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

/** Has the body of a request checked against the digests that some of its headers name, before anything is done with it. @throws AppError when a header names none that we know */
export function expectDigests(request: FastifyRequest, headers: readonly string[]): void {
  const expected = headers.map((name) => parseDigests(String(request.headers[name] ?? '')));
  if (expected.some((digests) => digests.length === 0)) throw new Rejected('digest_unknown');
  if (expected.length > 0) expectations.set(request, expected.flat());
}

/** The stream of a body; it fails at its end when the body does not match the declared digest. */
function checked(expected: readonly Expected[]): Transform & { receivedEncodedLength: number } {
  const hashes = expected.map(({ algorithm }) => createHash(algorithm));
  const stream = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      for (const hash of hashes) hash.update(chunk);
      counted.receivedEncodedLength += chunk.length;
      done(null, chunk);
    },
    flush(done) {
      const isSame = expected.every(({ digest }, index) => {
        const found = hashes[index]?.digest() ?? Buffer.alloc(0);
        return found.length === digest.length && timingSafeEqual(found, digest);
      });
      done(isSame ? null : new Rejected('digest_mismatch'));
    },
  });
  const counted = Object.assign(stream, { receivedEncodedLength: 0 });
  return counted;
}

/** Checks bodies as they come in. */
export function checkBodyDigests(http: FastifyInstance): void {
  http.addHook('preParsing', async (request, _reply, payload) => {
    const expected = expectations.get(request);
    if (!expected) return payload;
    const stream = checked(expected);
    const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
    if (encoding !== undefined || Number(length ?? 0) > 0)
      return pipeline(payload, stream, () => undefined);
    // Nothing will be read where nothing is sent: the digest is that of an empty body.
    const failed = new Promise<void>((resolve, reject) =>
      stream.once('error', reject).once('end', resolve),
    );
    stream.resume().end();
    await failed;
    return payload;
  });
}
