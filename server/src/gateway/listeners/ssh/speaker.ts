import type { Socket } from 'node:net';
import { type LocalText, say } from '@sallyport/contract';
import {
  type AcceptSsh,
  createIncoming,
  DisconnectReason,
  endConnection,
  gatherWrites,
  sendNow,
} from '@sallyport/ssh';
import { readFairly } from '../../../platform/fair-reads.ts';
import { networkOf } from '../../../platform/network-of.ts';
import {
  Allowance,
  MAX_SOCKETS_PER_ADDRESS,
  MAX_SOCKETS_PER_PERSON,
  SSH_KEEPALIVE_MISSES,
  SSH_KEEPALIVE_MS,
} from '../../limits.ts';
import { type SignedInSite, SiteConnection } from '../../sites/site-connection.ts';
import { IDENT, MODERN, WITH_OLD } from './algorithms.ts';
import { Authentication } from './authentication.ts';
import { closeSoon } from './close-soon.ts';
import { SshConnection } from './connection.ts';
import type { Destination } from './destination.ts';
import { guardAnswers } from './guard-answers.ts';
import type { SignedInUser, SshContext, SshVisitor } from './ports.ts';
import { words } from './words.ts';

/** Connections of one site, with those that have no tunnel yet. */
const MAX_SOCKETS_PER_SITE = 16;

/** Ends a connection. The client receives the reason and the text. */
export type EndClient = (text: LocalText, reason: DisconnectReason) => void;

/** Limits that apply to a connection before sign-in. */
export interface Admission {
  /** Stops counting the connection: it has signed in. */
  signedIn(): void;
  /** Extends the limits for a review. Returns false if too many connections wait. */
  reviewed(): boolean;
}

interface Arrival {
  readonly user: SignedInUser;
  readonly destination: Destination;
  readonly connection: ConstructorParameters<typeof SshConnection>[0]['connection'];
  readonly socket: Socket;
  readonly remoteAddress: string;
}

interface ArrivedSite extends Pick<Arrival, 'connection' | 'socket'> {
  readonly site: SignedInSite;
  readonly visitor: SshVisitor;
}

/** Serves SSH to accepted clients: signs them in and gives them session channels. */
export class SshSpeaker {
  private readonly context: SshContext;
  private readonly modern: AcceptSsh;
  private readonly withOld: AcceptSsh;
  private readonly signedIn = new Allowance();
  private readonly connections = new Map<SshConnection, string>();
  private readonly sites = new Set<SiteConnection>();

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

  /** Ends the connections of a sign-in. */
  signOut(loginId: string): void {
    for (const [connection, login] of this.connections)
      if (login === loginId) connection.close(words.signedOut);
  }

  stop(): void {
    for (const connection of this.connections.keys()) connection.close(words.stopping);
    for (const tunnel of this.sites) tunnel.close(words.stopping);
  }

  /**
   * Starts SSH with a client. Its first bytes are still in the socket. Returns a function that ends
   * the connection.
   */
  speak(socket: Socket, remoteAddress: string, admission: Admission): EndClient {
    const { context } = this;
    readFairly(socket);
    gatherWrites(socket);
    guardAnswers(socket, () => accepted, {
      onExceeded: () => context.ports.log.info({ remoteAddress }, 'an SSH client reads no answers'),
    });
    const acceptSsh = context.ssh.settings().oldAlgorithms ? this.withOld : this.modern;
    const giveUp = (text: string, reason: DisconnectReason = DisconnectReason.noMoreMethods) => {
      endConnection(accepted, reason, text);
      sendNow(socket);
      closeSoon(socket);
    };
    const accepted = acceptSsh(socket, (connection, software) => {
      // The client violated the protocol; the library has closed the socket.
      connection.on('error', () => closeSoon(socket));
      let signedIn: SshConnection | undefined;
      const visitor = { remoteAddress, software };
      const authentication = new Authentication({
        ports: context.ssh,
        connection,
        visitor,
        log: context.ports.log,
        databaseAnswers: context.ports.databaseAnswers,
        giveUp,
        onReview: admission.reviewed,
        onSite: (site) => {
          admission.signedIn();
          this.serveSite({ site, connection, socket, visitor });
        },
        onSignedIn: (user, destination) => {
          admission.signedIn();
          signedIn = this.admit({ user, destination, connection, socket, remoteAddress });
          if (!signedIn)
            giveUp(say(words.tooManyConnections, 'en'), DisconnectReason.tooManyConnections);
        },
      });
      socket.once('close', () => {
        authentication.stop();
        signedIn?.left();
      });
    });
    return (text, reason) => giveUp(say(text, 'en'), reason);
  }

  /** Keeps the tunnel of a site until its client leaves, or the server stops. */
  private serveSite({ site, connection, socket, visitor }: ArrivedSite): void {
    const { ssh, ports } = this.context;
    const leave = this.signedIn.take({
      [`site ${site.id}`]: MAX_SOCKETS_PER_SITE,
      [`address ${networkOf(visitor.remoteAddress)}`]: MAX_SOCKETS_PER_ADDRESS,
    });
    let release: (() => void) | undefined;
    const tunnel = new SiteConnection({
      site,
      connection,
      transport: socket,
      log: ports.log,
      onOpen: () => {
        release = ssh.sites.take(tunnel, visitor);
        if (!release) tunnel.close(words.tooManyConnections);
      },
    });
    if (!leave) {
      tunnel.close(words.tooManyConnections);
      return;
    }
    this.sites.add(tunnel);
    socket.once('close', () => {
      leave();
      this.sites.delete(tunnel);
      release?.();
      tunnel.left();
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
      [`address ${networkOf(remoteAddress)}`]: MAX_SOCKETS_PER_ADDRESS,
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
