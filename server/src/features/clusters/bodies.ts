import { Readable, Transform, type TransformCallback } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import { type ClusterSession, Refusal } from '../connections/index.ts';
import type { KubeRequest } from './kube-request.ts';
import { judgePods, UnreadableBody } from './pod-rights.ts';
import { decide, type Identity } from './rights.ts';

/** Bodies of API servers have at most 3 MiB. */
export const MAX_BODY = 4 * 1024 * 1024;
export const MEBIBYTE = 1024 * 1024;
const OK = 200;
const NOT_FOUND = 404;

/** A request with its meaning and its session. */
export interface Judging {
  readonly request: FastifyRequest;
  readonly session: ClusterSession;
  readonly meaning: KubeRequest;
  /** Checks the permissions again for the address of the request. @throws Refusal */
  readonly recheck: () => Promise<void>;
}

/** Passes a body on and ends one that is too large. */
class LimitedBody extends Transform {
  private left = MAX_BODY;

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.left -= chunk.length;
    if (this.left < 0) done(new Refusal('cluster_body', { max: MAX_BODY / MEBIBYTE }));
    else done(null, chunk);
  }
}

/** Returns the body of a request as a stream of limited size; undefined without one. */
export function bodyOf({ raw, headers }: FastifyRequest) {
  if (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined)
    return undefined;
  const limited = new LimitedBody();
  raw.once('error', (error) => limited.destroy(error));
  return raw.pipe(limited);
}

/** A body that was judged, and the identity that may send it. */
interface Judged {
  readonly body: Buffer;
  readonly headers: Readonly<Record<string, string>>;
  readonly identity: Identity;
}

/**
 * Reads a body that can hold pods, and decides on the actions that the pods need. A patch is judged
 * with the object that it changes. @throws Refusal
 */
export async function judge(
  { request, session, meaning, recheck }: Judging,
  identity: Identity,
  signal: AbortSignal,
): Promise<Judged> {
  const bytes = await collect(bodyOf(request) ?? Readable.from([]));
  const changes = meaning.verb === 'patch' || meaning.verb === 'update';
  const existing = changes ? await readExisting(session, meaning, { identity, signal }) : undefined;
  const judgement = judgeBody(meaning, request.headers['content-type'], bytes, existing);
  // The body may take long, and other requests move the session to their addresses.
  await recheck();
  const decision = decide(meaning, session.rules, judgement.needs);
  if ('refusal' in decision) {
    const { code, params } = decision.refusal;
    const reason = judgement.reasons.join(', ');
    throw new Refusal(code, { ...params, place: `${params.place} (${reason})` });
  }
  const body = Buffer.from(judgement.body);
  return {
    body,
    identity: decision,
    headers: { 'content-type': judgement.contentType, 'content-length': String(body.length) },
  };
}

function judgeBody(...judged: Parameters<typeof judgePods>): ReturnType<typeof judgePods> {
  try {
    return judgePods(...judged);
  } catch (error) {
    if (error instanceof UnreadableBody)
      throw new Refusal('cluster_unclear', { message: error.message });
    throw error;
  }
}

/** Reads the object that a request changes, as its identity; undefined if it does not exist. */
async function readExisting(
  session: ClusterSession,
  meaning: KubeRequest,
  { identity, signal }: { readonly identity: Identity; readonly signal: AbortSignal },
): Promise<Buffer | undefined> {
  const [path = ''] = meaning.target.split('?');
  const answer = await session.request(
    { method: 'GET', path, headers: { accept: 'application/json' } },
    identity,
    signal,
  );
  const { statusCode } = answer;
  const body = await collect(answer);
  if (statusCode === NOT_FOUND) return undefined;
  if (statusCode !== OK) throw new Refusal('cluster_unread', { status: statusCode ?? 0 });
  return body;
}

/** Reads a stream of limited size. `onLarge` makes the refusal of a larger one. @throws Refusal */
export async function collect(
  stream: AsyncIterable<Buffer>,
  onLarge: () => Refusal = () => new Refusal('cluster_body', { max: MAX_BODY / MEBIBYTE }),
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    bytes += chunk.length;
    if (bytes > MAX_BODY) throw onLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
