import { isUuid, Permission, session, TERMINAL_SOCKET_PATH, WATCH_SOCKET_PATH } from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import { socketRoute } from '../../http/socket.ts';
import { displayName } from '../../platform/actor.ts';
import { type Engines, engineOf } from '../../resources/engines.ts';
import type { Gateway } from '../gateway.ts';

/** Opens the gateway's two sockets to the people who may use them. */
export function mountGateway(app: FastifyInstance, gateway: Gateway, engines: Engines): void {
  socketRoute(app, {
    url: TERMINAL_SOCKET_PATH,
    access: Permission.USE,
    summary: 'A terminal on a granted asset.',
    handler: (socket, { actor, language }) =>
      gateway.terminal(socket, {
        userId: actor.userId,
        display: displayName(actor),
        language,
        remoteAddr: actor.remoteAddress,
        loginFrom: 'WT',
        loginId: actor.session.id,
      }),
  });
  socketRoute(app, {
    url: WATCH_SOCKET_PATH,
    access: Permission.AUDIT,
    summary: 'Watching a live session, read-only.',
    async handler(socket, context) {
      const id = context.query.get('session') ?? '';
      // Only sessions of the caller's organization; others end like those that do not exist.
      const found = isUuid(id) ? await engineOf(engines, session).reader.rows([id], context) : [];
      const { actor, language } = context;
      gateway.watch(socket, found.length > 0 ? id : '', {
        userId: actor.userId,
        loginId: actor.session.id,
        organizationId: actor.organization.id,
        remoteAddr: actor.remoteAddress,
        language,
      });
    },
  });
}
