import {
  DATABASE_SOCKET_PATH,
  DESKTOP_SOCKET_PATH,
  GUEST_SOCKET_PATH,
  isUuid,
  Permission,
  session,
  TERMINAL_SOCKET_PATH,
  WATCH_SOCKET_PATH,
} from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import { socketRoute } from '../../http/socket.ts';
import { type Engines, engineOf } from '../../resources/engines.ts';
import type { Gateway } from '../gateway.ts';
import type { Invitations } from '../ports/people.ts';
import { personOf } from './files/file-answers.ts';

/** Mounts the gateway's WebSocket routes. */
export function mountGateway(
  app: FastifyInstance,
  gateway: Gateway,
  engines: Engines,
  invitations: Invitations,
): void {
  socketRoute(app, {
    url: TERMINAL_SOCKET_PATH,
    access: Permission.USE,
    summary: 'A terminal on a granted asset.',
    isStream: true,
    handler: (socket, context) => gateway.terminal(socket, personOf(context)),
  });
  socketRoute(app, {
    url: DESKTOP_SOCKET_PATH,
    access: Permission.USE,
    summary: 'A desktop on a granted asset.',
    handler: (socket, context) => gateway.desktop(socket, personOf(context)),
  });
  socketRoute(app, {
    url: DATABASE_SOCKET_PATH,
    access: Permission.USE,
    summary: 'A query workspace on a granted database.',
    handler: (socket, context) => gateway.query(socket, personOf(context)),
  });
  socketRoute(app, {
    url: WATCH_SOCKET_PATH,
    access: Permission.AUDIT,
    area: 'logs',
    summary: 'Watching a live session, read-only.',
    async handler(socket, context) {
      const id = context.query.get('session') ?? '';
      // Only sessions of the caller's organization. Others look like missing ones.
      const { reader } = engineOf(engines, session);
      const sessions = isUuid(id) ? await reader.rows([id], context) : [];
      const { actor, language } = context;
      gateway.watch(socket, sessions.length > 0 ? id : '', {
        userId: actor.userId,
        loginId: actor.session.id,
        organizationId: actor.organization.id,
        remoteAddr: actor.remoteAddress,
        language,
      });
    },
  });
  socketRoute(app, {
    url: GUEST_SOCKET_PATH,
    access: Permission.USE,
    summary:
      'Join a live session as a guest. Requires an accepted invitation and a permission for the target.',
    isStream: true,
    async handler(socket, context) {
      const { query, actor } = context;
      const invitation = query.get('invitation') ?? '';
      // An empty session id lets the gateway report the reason: it validates the invitation again.
      const accepted = await invitations.find(invitation, actor.userId).catch(() => undefined);
      gateway.guest(socket, accepted?.session ?? '', { invitation, person: personOf(context) });
    },
  });
}
