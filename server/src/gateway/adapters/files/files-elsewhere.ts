import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { pipeline } from 'node:stream';
import { HTTP_TIMEOUT } from '@sallyport/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Processes } from '../../../features/servers/index.ts';
import { callerOfRelayed, type RelayedRequest, serveRelayed } from '../../../http/server.ts';
import { Unavailable } from '../../../platform/errors.ts';
import type { PeerChannel } from '../../../platform/peers/channel.ts';
import type { FilePool } from '../../listeners/files/pool.ts';

const NAME = 'files';
/** Name of the question whether a process has work of a sign-in that no other can take over. */
const NEEDED = 'files-needed';
const PATHS = /^\/api\/v1\/files\//;

/** The processes of this server, and the channel among them. */
interface Others {
  readonly processes: Processes;
  readonly channel: PeerChannel;
}

/**
 * Relays requests of the file manager to the process that carries the files of their sign-in. One
 * process then has the open connections, the typed passwords, the uploads in progress and the
 * limits of a sign-in. After an upgrade, a replaced process keeps what only it can finish.
 */
export function relayFileRequests(
  http: FastifyInstance,
  { processes, channel }: Others,
  pool: Pick<FilePool, 'isNeededBy'>,
): void {
  if (!processes.isShared) return;
  processes.answer(NEEDED, (loginId) => pool.isNeededBy(String(loginId)));
  channel.answer(NAME, async (about, response, request) =>
    serveRelayed(http, about as RelayedRequest, request, response),
  );
  http.addHook('onRequest', async (request, reply) => {
    const { actor } = request;
    if (!actor || !PATHS.test(request.url) || callerOfRelayed(request.raw)) return;
    const before = await replacedHolder(processes, actor.session.id);
    const owner =
      before ?? processes.siblings[shareOf(actor.session.id, processes.siblings.length)] ?? 0;
    // A process loses its connections when it dies. Until it is replaced, this one opens others.
    if (before === undefined && !processes.isRunning(owner)) return;
    const { method = 'GET', url = '/', headers, socket } = request.raw;
    const { remoteAddress } = socket;
    await relayOne(request, reply, (body, signal) =>
      channel.ask(
        processes.addressOf(owner),
        NAME,
        { method, url, headers, remoteAddress, actor } satisfies RelayedRequest,
        { body, signal, milliseconds: HTTP_TIMEOUT },
      ),
    );
  });
}

/**
 * Finds the process, replaced by an upgrade, with an upload in progress of a sign-in or with a
 * connection for which its user typed a password.
 */
async function replacedHolder(processes: Processes, loginId: string): Promise<number | undefined> {
  const answers = await Promise.all(
    processes.replaced.map(
      async (one) => [one, await processes.ask(one, NEEDED, loginId)] as const,
    ),
  );
  return answers.find(([, isNeeded]) => isNeeded === true)?.[0];
}

async function relayOne(
  request: FastifyRequest,
  reply: FastifyReply,
  ask: (body: IncomingMessage, signal: AbortSignal) => Promise<IncomingMessage>,
): Promise<void> {
  const gone = new AbortController();
  reply.raw.once('close', () => gone.abort());
  const answer = await ask(request.raw, gone.signal).catch(() => {
    throw new Unavailable('unavailable');
  });
  if (reply.sent) {
    answer.destroy();
    return;
  }
  reply.hijack();
  reply.raw.writeHead(answer.statusCode ?? 502, answer.headers);
  pipeline(answer, reply.raw, () => undefined);
}

/** The place of the process that carries the files of a sign-in. */
const shareOf = (loginId: string, count: number): number =>
  createHash('sha256').update(loginId).digest().readUInt32BE() % count;
