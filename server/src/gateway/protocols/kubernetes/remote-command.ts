import { type IncomingMessage, request } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocket } from 'ws';
import type { ChannelEvents, ChannelName, Channels } from './channels.ts';
import { SPDY_PROTOCOL, spdyChannels } from './spdy-channels.ts';
import { SUBPROTOCOLS, websocketChannels } from './websocket-channels.ts';

/** Maximum bytes of a frame. Kubelets send at most 32 KiB. */
const MOST_FRAME = 1_048_576;
const MOST_ANSWER = 65_536;
const MOST_TEXT = 1024;
/** Answers to WebSocket that SPDY would receive as well. */
const FINAL = new Set([401, 403, 404, 409, 422, 429]);

/** An API server refused a command. The text is its own, from its `Status`. */
export class ClusterAnswer extends Error {
  readonly status: number;

  constructor(status: number, text: string) {
    super(text);
    this.status = status;
  }
}

/** A command at a pod: `exec` or `attach`. */
export interface RemoteCommand {
  /** Opens a new connection to the API server. */
  dial(): Promise<Duplex>;
  /** Path and query. */
  readonly path: string;
  /** Headers of authentication and identity, and `host`. */
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly channels: readonly ChannelName[];
  /** Timeout of an upgrade. */
  readonly timeoutMs: number;
  /** Begins with SPDY, as clients before Kubernetes 1.30. */
  readonly isOld?: boolean;
}

/** Returns the refusal of an API server in its own words. Reads a bounded part of it. */
export async function readAnswer(answer: IncomingMessage): Promise<ClusterAnswer> {
  const status = answer.statusCode ?? 0;
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > MOST_ANSWER) break;
      chunks.push(chunk);
    }
    const { message } = JSON.parse(Buffer.concat(chunks).toString('utf8')) as { message?: unknown };
    if (typeof message === 'string') return new ClusterAnswer(status, message.slice(0, MOST_TEXT));
  } catch {
    // No Status: a load balancer, or an answer that was cut.
  }
  return new ClusterAnswer(status, `HTTP ${status}`);
}

async function overWebSocket(command: RemoteCommand, events: ChannelEvents): Promise<Channels> {
  const { dial, path, headers, timeoutMs } = command;
  const stream = await dial();
  return new Promise((done, failed) => {
    // The stream is encrypted already.
    const socket = new WebSocket(`ws://cluster${path}`, [SUBPROTOCOLS[0]], {
      createConnection: () => stream,
      headers: { ...headers },
      handshakeTimeout: timeoutMs,
      maxPayload: MOST_FRAME,
      perMessageDeflate: false,
    });
    socket.once('open', () => {
      socket.off('error', failed);
      done(websocketChannels(socket, events));
    });
    socket.once('error', failed);
    socket.once('unexpected-response', (_request, answer) => {
      void readAnswer(answer).then((refusal) => {
        stream.destroy();
        failed(refusal);
      });
    });
  });
}

async function overSpdy(command: RemoteCommand, events: ChannelEvents): Promise<Channels> {
  const { dial, path, headers, channels, timeoutMs } = command;
  const stream = await dial();
  const upgraded = await new Promise<Buffer>((done, failed) => {
    const sent = request({
      createConnection: () => stream,
      method: 'POST',
      path,
      headers: {
        ...headers,
        connection: 'Upgrade',
        upgrade: 'SPDY/3.1',
        'x-stream-protocol-version': SPDY_PROTOCOL,
      },
      timeout: timeoutMs,
    });
    sent.once('timeout', () => sent.destroy(Object.assign(new Error(), { code: 'ETIMEDOUT' })));
    sent.once('upgrade', (_answer, _socket, head) => done(head));
    sent.once('response', (answer) => {
      void readAnswer(answer).then((refusal) => {
        stream.destroy();
        failed(refusal);
      });
    });
    sent.on('error', failed);
    sent.end();
  });
  return spdyChannels({ socket: stream, head: upgraded, isClient: true, channels }, events);
}

/**
 * Opens a command at a pod: by WebSocket, or by SPDY if the API server or a load balancer refuses
 * WebSocket. @throws ClusterAnswer, or the error of a connection
 */
export async function openRemoteCommand(
  command: RemoteCommand,
  events: ChannelEvents,
): Promise<Channels> {
  try {
    if (!command.isOld) return await overWebSocket(command, events);
  } catch (error) {
    if (error instanceof ClusterAnswer && FINAL.has(error.status)) throw error;
  }
  return overSpdy(command, events);
}
