import type { Socket } from 'node:net';
import { readFairly } from '../../../platform/fair-reads.ts';
import { type AcceptSsh, createIncoming } from '../../../platform/ssh/incoming.ts';
import { Allowance } from '../../allowance.ts';
import {
  MAX_SOCKETS_PER_ADDRESS,
  MAX_SOCKETS_PER_PERSON,
  SSH_KEEPALIVE_MISSES,
  SSH_KEEPALIVE_MS,
} from '../../limits.ts';
import { guardBacklog } from '../../protocols/ssh/backpressure.ts';
import { gatherWrites } from '../../protocols/ssh/gather-writes.ts';
import { IDENT, MODERN, WITH_OLD } from './algorithms.ts';
import { Authentication } from './authentication.ts';
import { SshConnection } from './connection.ts';
import type { SshContext } from './context.ts';
import type { Destination } from './destination.ts';
import type { SignedInUser } from './ports.ts';

/** How long a connection that was refused or ended may take to close. */
const CLOSE_GRACE_MS = 2000;

/** How a connection that has not signed in is counted. */
export interface Admission {
  /** It has signed in: it is counted no more. */
  signedIn(): void;
  /** It waits for a reviewer, which may take long; false when too many do. */
  reviewed(): boolean;
}

/** A client that has just signed in. */
interface Arrival {
  readonly user: SignedInUser;
  readonly destination: Destination;
  readonly connection: ConstructorParameters<typeof SshConnection>[0]['connection'];
  readonly socket: Socket;
  readonly remoteAddress: string;
}

/** Speaks SSH with the clients that a listener has accepted: signs them in and gives them session channels. */
export class SshSpeaker {
  private readonly context: SshContext;
  private readonly modern: AcceptSsh;
  private readonly withOld: AcceptSsh;
  private readonly signedIn = new Allowance();
  private readonly connections = new Map<SshConnection, string>();

  constructor(context: SshContext, hostKeys: readonly string[]) {
    this.context = context;
    const shared = {
      hostKeys,
      ident: IDENT,
      keepaliveMs: SSH_KEEPALIVE_MS,
      keepaliveMisses: SSH_KEEPALIVE_MISSES,
    };
    this.modern = createIncoming({ ...shared, algorithms: MODERN });
    this.withOld = createIncoming({ ...shared, algorithms: WITH_OLD });
  }

  /** Ends the connections that a sign-in carries. */
  signOut(loginId: string): void {
    for (const [connection, login] of this.connections) if (login === loginId) connection.close();
  }

  /** Ends all connections. */
  stop(): void {
    for (const connection of this.connections.keys()) connection.close();
  }

  /** Speaks with a client; what it has said already is still in its socket. */
  speak(socket: Socket, remoteAddress: string, admission: Admission): void {
    const { context } = this;
    readFairly(socket);
    gatherWrites(socket);
    guardBacklog(socket, () => socket.destroy());
    const acceptSsh = context.ssh.settings().oldAlgorithms ? this.withOld : this.modern;
    acceptSsh(socket, (connection, software) => {
      const giveUp = () => {
        connection.end();
        setTimeout(() => socket.destroy(), CLOSE_GRACE_MS).unref();
      };
      // A client that breaks the protocol is its own problem; the library has closed the socket.
      connection.on('error', () => setTimeout(() => socket.destroy(), CLOSE_GRACE_MS).unref());
      let signedIn: SshConnection | undefined;
      const authentication = new Authentication({
        ports: context.ssh,
        connection,
        visitor: { remoteAddress, software },
        log: context.ports.log,
        databaseAnswers: context.ports.databaseAnswers,
        giveUp,
        onReview: admission.reviewed,
        onSignedIn: (user, destination) => {
          admission.signedIn();
          signedIn = this.admit({ user, destination, connection, socket, remoteAddress });
          if (!signedIn) giveUp();
        },
      });
      socket.once('close', () => {
        authentication.stop();
        signedIn?.left();
      });
    });
  }

  private admit({
    user,
    destination,
    connection,
    socket,
    remoteAddress,
  }: Arrival): SshConnection | undefined {
    const { context } = this;
    const signOut = () =>
      void context.ssh.signIns
        .end(user.loginId)
        .catch((error: unknown) =>
          context.ports.log.error({ err: error }, 'a sign-in over SSH was not ended'),
        );
    const release = this.signedIn.take({
      [`person ${user.userId}`]: MAX_SOCKETS_PER_PERSON,
      [`address ${remoteAddress}`]: MAX_SOCKETS_PER_ADDRESS,
    });
    if (!release) {
      signOut();
      return undefined;
    }
    const signedIn = new SshConnection({
      context,
      connection,
      transport: socket,
      user,
      destination,
      remoteAddress,
    });
    this.connections.set(signedIn, user.loginId);
    socket.once('close', () => {
      release();
      this.connections.delete(signedIn);
      signOut();
    });
    return signedIn;
  }
}
