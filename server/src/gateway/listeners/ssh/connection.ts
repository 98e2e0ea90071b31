import type { Duplex } from 'node:stream';
import type { Language } from '@sallyport/contract';
import type { Connection } from '../../../platform/ssh/ssh2.ts';
import { MAX_CHANNELS } from '../../limits.ts';
import type { Person } from '../../ports.ts';
import type { SshContext } from './context.ts';
import type { Destination } from './destination.ts';
import type { SignedInUser } from './ports.ts';
import { type ChannelOwner, SessionChannel } from './session-channel.ts';

/** What a connection is made of when its user has signed in. */
export interface SignedInConnection {
  readonly context: SshContext;
  readonly connection: Connection;
  readonly transport: Duplex;
  readonly user: SignedInUser;
  readonly destination: Destination;
  readonly remoteAddress: string;
}

/**
 * The connection of a user who has signed in. It offers session channels; everything else that a client may ask for (forwarded ports and sockets, the
 * agent, X11) has no listener here, and the library refuses what nobody listens to.
 */
export class SshConnection implements ChannelOwner {
  readonly context: SshContext;
  readonly transport: Duplex;
  readonly user: SignedInUser;
  readonly destination: Destination;
  private readonly connection: Connection;
  private readonly remoteAddress: string;
  private readonly channels = new Set<SessionChannel>();

  constructor({ context, connection, transport, user, destination, remoteAddress }: SignedInConnection) {
    this.context = context;
    this.connection = connection;
    this.transport = transport;
    this.user = user;
    this.destination = destination;
    this.remoteAddress = remoteAddress;
    connection.on('session', (accept, reject) => {
      if (this.channels.size >= MAX_CHANNELS) reject();
      else this.channels.add(new SessionChannel(this, accept()));
    });
    const pump = () => {
      for (const channel of this.channels) channel.pump();
    };
    transport.on('drain', pump);
    connection.on('rekey', pump);
  }

  /** The user, as the gateway's sessions know it. */
  person(language: Language): Person {
    const { userId, display, loginId } = this.user;
    return { userId, display, language, remoteAddr: this.remoteAddress, loginFrom: 'ST', loginId };
  }

  /** A channel is gone. */
  forget(channel: SessionChannel): void {
    this.channels.delete(channel);
  }

  /** Ends the connection and with it all sessions. */
  close(): void {
    this.connection.end();
    this.transport.destroy();
    this.left();
  }

  /** The connection is gone. */
  left(): void {
    for (const channel of [...this.channels]) channel.left();
  }
}
