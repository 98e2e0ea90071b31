import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { pipeline } from 'node:stream';
import { HTTP_TIMEOUT } from '@sallyport/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Processes } from '../../../features/servers/index.ts';
import { callerOfRelayed, type RelayedRequest, serveRelayed } from '../../../http/server.ts';
import { Unavailable } from '../../../platform/errors.ts';
import type { PeerChannel } from '../../../platform/peers/channel.ts';

const NAME = 'files';
const PATHS = /^\/api\/v1\/files\//;

/** The processes of this server, and the channel among them. */
interface Others {
  readonly processes: Processes;
  readonly channel: PeerChannel;
}

/**
 * Relays requests of the file manager to the process that carries the files of their sign-in. One
 * process then has the open connections, the typed passwords, the uploads in progress and the
 * limits of a sign-in.
 */
export function relayFileRequests(http: FastifyInstance, { processes, channel }: Others): void {
  if (!processes.isShared) return;
  channel.answer(NAME, async (about, response, request) =>
    serveRelayed(http, about as RelayedRequest, request, response),
  );
  http.addHook('onRequest', async (request, reply) => {
    const { actor } = request;
    if (!actor || !PATHS.test(request.url) || callerOfRelayed(request.raw)) return;
    const owner = processes.siblings[shareOf(actor.session.id, processes.siblings.length)] ?? 0;
    // A process loses its connections when it dies. Until it is replaced, this one opens others.
    if (!processes.isRunning(owner)) return;
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
