import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Context } from './context.ts';
import { Refusal } from './problem.ts';
import { contextOf } from './route.ts';

/** A frame above this many bytes ends the socket. */
const MAX_FRAME = 1024 * 1024;

const upgrades = new WeakMap<IncomingMessage, { socket: Duplex; head: Buffer }>();

/**
 * Lets WebSockets go through the same hooks as every other request: authentication, access and errors are those of the routes.
 * Call once, before the server listens.
 */
export function enableSockets(app: FastifyInstance): WebSocketServer {
  const sockets = new WebSocketServer({ noServer: true, maxPayload: MAX_FRAME, perMessageDeflate: false });
  app.decorate('webSockets', sockets);
  app.server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    // A client that goes away before it is answered is no defect.
    socket.on('error', () => socket.destroy());
    upgrades.set(request, { socket, head });
    const response = new ServerResponse(request);
    // A refusal is written as an ordinary answer, after which the connection ends.
    response.shouldKeepAlive = false;
    response.assignSocket(socket as never);
    response.on('finish', () => socket.end());
    app.routing(request, response);
  });
  return sockets;
}

interface SocketOptions {
  readonly url: string;
  /** The permission bits that are needed, all of them. */
  readonly access: number;
  readonly summary: string;
  readonly handler: (socket: WebSocket, context: Context) => void | Promise<void>;
}

declare module 'fastify' {
  interface FastifyInstance {
    webSockets: WebSocketServer;
  }
}

/** Adds a socket for people with the given permission. */
export function socketRoute(app: FastifyInstance, options: SocketOptions): void {
  app.route({
    method: 'GET',
    url: options.url,
    config: { access: options.access, socket: true, summary: options.summary },
    handler: (request, reply) => {
      const upgrade = upgrades.get(request.raw);
      if (!upgrade) throw new Refusal(426, 'method_not_allowed', { method: 'GET' });
      const context = contextOf(request, reply) as Context;
      reply.hijack();
      reply.raw.detachSocket(upgrade.socket as never);
      app.webSockets.handleUpgrade(request.raw, upgrade.socket, upgrade.head, (socket) => {
        socket.on('error', () => socket.terminate());
        void Promise.resolve(options.handler(socket, context)).catch((error: unknown) => {
          request.log.error({ error: error instanceof Error ? error.stack : String(error) }, 'a socket failed');
          socket.close(1011);
        });
      });
    },
  });
}
