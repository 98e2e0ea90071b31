import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { type Area, HTTP_TIMEOUT } from '@sallyport/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type WebSocket, WebSocketServer } from 'ws';
import { readFairly } from '../platform/fair-reads.ts';
import { joinFrames } from '../platform/join-frames.ts';
import { defineGauge } from '../platform/metrics/open-metrics.ts';
import { type Context, contextOf } from './context.ts';
import { HttpError } from './error-bodies.ts';
import { stopCounting } from './server.ts';

/**
 * Maximum bytes of a frame; a larger one closes the socket. Our clients send at most half of it.
 */
const MAX_FRAME = 64 * 1024;

/** Milliseconds a client has to close its connection after a rejected upgrade. */
const LINGER = 1_000;

const live = defineGauge('sallyport_sockets', 'Open WebSockets of this server, by their route.');

/** The connection of an upgrade, and the bytes that arrived after its head. */
export interface TakenUpgrade {
  readonly socket: Duplex;
  readonly head: Buffer;
}

interface Upgrade extends TakenUpgrade {
  /** Closes the connection if the upgrade takes too long. */
  readonly deadline: NodeJS.Timeout;
}

const upgrades = new WeakMap<IncomingMessage, Upgrade>();

/**
 * Runs WebSocket upgrades through the hooks of HTTP routes: authentication, access and errors. Call
 * it once, before the server listens.
 */
export function enableSockets(app: FastifyInstance): WebSocketServer {
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: MAX_FRAME,
    perMessageDeflate: false,
  });
  app.decorate('webSockets', sockets);
  app.decorate('reopenedSockets', new Set<WebSocket>());
  app.server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    // A client that disconnects before the answer is no defect.
    socket.on('error', () => socket.destroy());
    // The server's timeouts no longer cover an upgraded connection.
    const deadline = setTimeout(() => socket.destroy(), HTTP_TIMEOUT);
    socket.once('close', () => clearTimeout(deadline));
    upgrades.set(request, { socket, head, deadline });
    const response = new ServerResponse(request);
    // A rejection is an ordinary HTTP answer, and then the connection ends.
    response.shouldKeepAlive = false;
    response.assignSocket(socket as never);
    response.on('finish', () => {
      socket.end();
      // A client that never closes its side would hold the descriptor forever.
      const linger = setTimeout(() => socket.destroy(), LINGER);
      socket.once('close', () => clearTimeout(linger));
      socket.resume();
    });
    app.routing(request, response);
  });
  return sockets;
}

interface SocketOptions {
  readonly url: string;
  /** Required permission bits, all of them. */
  readonly access: number;
  /** Absent: holders of a duty may not open it. */
  readonly area?: Area;
  readonly summary: string;
  /** Messages are parts of a byte stream, so the server may merge small ones. */
  readonly isStream?: boolean;
  /** The client connects again after a loss and misses nothing. */
  readonly isReopened?: boolean;
  readonly handler: (socket: WebSocket, context: Context) => void | Promise<void>;
}

declare module 'fastify' {
  interface FastifyInstance {
    webSockets: WebSocketServer;
    /** Open sockets that their clients open again after a loss. */
    reopenedSockets: Set<WebSocket>;
  }
}

/**
 * Takes the connection of an upgrade from its route, which then answers on the connection itself.
 * Returns undefined for a request without an upgrade.
 */
export function takeUpgrade(
  request: FastifyRequest,
  reply: FastifyReply,
): TakenUpgrade | undefined {
  const upgrade = upgrades.get(request.raw);
  if (!upgrade) return undefined;
  reply.hijack();
  clearTimeout(upgrade.deadline);
  stopCounting(upgrade.socket);
  reply.raw.detachSocket(upgrade.socket as never);
  return upgrade;
}

/** Adds a WebSocket route for callers with the given permission. */
export function socketRoute(app: FastifyInstance, options: SocketOptions): void {
  app.route({
    method: 'GET',
    url: options.url,
    config: {
      access: options.access,
      ...(options.area && { area: options.area }),
      socket: true,
      summary: options.summary,
    },
    handler: (request, reply) => {
      const context = contextOf(request, reply) as Context;
      const upgrade = takeUpgrade(request, reply);
      if (!upgrade) throw new HttpError(426, 'method_not_allowed', { method: 'GET' });
      if (options.isStream) joinFrames(upgrade.socket, upgrade.head);
      readFairly(upgrade.socket);
      app.webSockets.handleUpgrade(request.raw, upgrade.socket, upgrade.head, (socket) => {
        socket.on('error', () => socket.terminate());
        live.add({ route: options.url });
        if (options.isReopened) app.reopenedSockets.add(socket);
        socket.once('close', () => {
          live.add({ route: options.url }, -1);
          app.reopenedSockets.delete(socket);
        });
        void Promise.resolve(options.handler(socket, context)).catch((error: unknown) => {
          request.log.error(
            { error: error instanceof Error ? error.stack : String(error) },
            'a socket failed',
          );
          socket.close(1011);
        });
      });
    },
  });
}
