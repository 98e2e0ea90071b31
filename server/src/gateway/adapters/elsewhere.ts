import { isUuid } from '@sallyport/contract';
import type { WebSocket } from 'ws';
import type { PeerAddress, PeerChannel } from '../../platform/peers/channel.ts';
import type { Gateway } from '../gateway.ts';
import type { Person, Viewer, Visit } from '../ports/people.ts';
import type { Elsewhere } from '../ports.ts';

interface Servers {
  readonly channel: PeerChannel;
  find(server: string | null): Promise<PeerAddress | undefined>;
}

/** Forwards connections to the server that holds a session, as its row says. */
export function createElsewhere(
  sessions: { holderOf(id: string): Promise<string | null> },
  servers: Servers,
): Elsewhere {
  return {
    async connect(
      kind: 'watch' | 'terminal' | 'guest',
      session: string,
      who: Viewer | Person | Visit,
    ): Promise<WebSocket | undefined> {
      if (!isUuid(session)) return undefined;
      const address = await servers.find(await sessions.holderOf(session));
      return address && servers.channel.connect(address, kind, { session, who });
    },
  };
}

/** Accepts forwarded connections. The other server has already checked the rights of its user. */
export function serveOthers(channel: PeerChannel, gateway: Gateway): void {
  channel.accept('watch', (about, socket) => {
    const { session, who } = about as { session: string; who: Viewer };
    gateway.watch(socket, session, who);
  });
  channel.accept('guest', (about, socket) => {
    const { session, who } = about as { session: string; who: Visit };
    gateway.guest(socket, session, who);
  });
  channel.accept('terminal', (about, socket) => {
    const { who } = about as { who: Person };
    gateway.terminal(socket, who);
  });
}
