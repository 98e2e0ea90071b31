import { once } from 'node:events';
import { type AddressInfo, BlockList, createServer, isIPv6, type Server, type Socket } from 'node:net';
import { readFairly } from '../../../platform/fair-reads.ts';
import { type AcceptSsh, createIncoming } from '../../../platform/ssh/incoming.ts';
import { Allowance } from '../../allowance.ts';
import {
  MAX_IN_REVIEW,
  MAX_IN_REVIEW_PER_ADDRESS,
  MAX_SOCKETS_PER_ADDRESS,
  MAX_SOCKETS_PER_PERSON,
  MAX_UNAUTHENTICATED,
  MAX_UNAUTHENTICATED_PER_ADDRESS,
  REVIEW_MS,
  SIGN_IN_MS,
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
import { plainAddress, takeProxyHeader } from './proxy-protocol.ts';

/** How long a connection that was refused or ended may take to close. */
const CLOSE_GRACE_MS = 2000;

/** Where and how a listener listens. */
export interface SshListenerOptions {
  readonly context: SshContext;
  readonly host: string;
  readonly port: number;
  /** Private keys in OpenSSH or PEM form. */
  readonly hostKeys: readonly string[];
  /** Networks whose connections begin with a header of the PROXY protocol. */
  readonly trustedProxies: readonly string[];
}

/** The SSH listener: accepts clients, signs them in, and gives them session channels. */
export class SshListener {
  private readonly options: SshListenerOptions;
  private readonly server: Server;
  private readonly proxies = new BlockList();
  private readonly modern: AcceptSsh;
  private readonly withOld: AcceptSsh;
  private readonly unauthenticated = new Allowance();
  private readonly inReview = new Allowance();
  private readonly signedIn = new Allowance();
  private readonly connections = new Map<SshConnection, string>();
  private readonly sockets = new Set<Socket>();

  constructor(options: SshListenerOptions) {
    this.options = options;
    const shared = { hostKeys: options.hostKeys, ident: IDENT, keepaliveMs: SSH_KEEPALIVE_MS, keepaliveMisses: SSH_KEEPALIVE_MISSES };
    this.modern = createIncoming({ ...shared, algorithms: MODERN });
    this.withOld = createIncoming({ ...shared, algorithms: WITH_OLD });
    for (const network of options.trustedProxies) addNetwork(this.proxies, network);
    this.server = createServer({ noDelay: true }, (socket) => void this.accept(socket));
  }

  /** Begins to listen. @throws the system's error when that is not possible */
  async listen(): Promise<void> {
    this.server.listen(this.options.port, this.options.host);
    await once(this.server, 'listening');
    this.server.on('error', (error) => this.options.context.ports.log.error({ err: error }, 'the SSH listener failed'));
  }

  /** The port it listens on; 0 when it does not. */
  get port(): number {
    const address = this.server.address() as AddressInfo | null;
    return address?.port ?? 0;
  }

  get isListening(): boolean {
    return this.server.listening;
  }

  /** Ends the connections that a sign-in carries. */
  signOut(loginId: string): void {
    for (const [connection, login] of this.connections) if (login === loginId) connection.close();
  }

  /** Accepts nobody any more; who is signed in stays. */
  stopAccepting(): void {
    this.server.close();
  }

  /** Ends all connections. Their sessions should have ended before. */
  stop(): void {
    this.stopAccepting();
    for (const connection of this.connections.keys()) connection.close();
    for (const socket of this.sockets) socket.destroy();
  }

  private async accept(socket: Socket): Promise<void> {
    this.sockets.add(socket);
    socket.once('close', () => this.sockets.delete(socket));
    socket.on('error', () => undefined);
    const peer = plainAddress(socket.remoteAddress);
    const release = this.admitUnknown(socket, { all: MAX_UNAUTHENTICATED });
    let late = setTimeout(() => socket.destroy(), SIGN_IN_MS);
    socket.once('close', () => clearTimeout(late));
    const isProxied = peer !== '' && this.proxies.check(peer, isIPv6(peer) ? 'ipv6' : 'ipv4');
    const remoteAddress = isProxied ? await takeProxyHeader(socket, peer) : peer;
    if (remoteAddress === undefined || socket.destroyed) return;
    const releaseAddress = this.admitUnknown(socket, { [`address ${remoteAddress}`]: MAX_UNAUTHENTICATED_PER_ADDRESS });
    const unknown = [release, releaseAddress];
    const admission: Admission = {
      signedIn() {
        clearTimeout(late);
        for (const giveBack of unknown) giveBack();
      },
      reviewed: () => {
        // Who waits has proved a first factor: counted apart, so that strangers do not keep them out and they keep out no strangers.
        const waiting = this.inReview.take({ all: MAX_IN_REVIEW, [`address ${remoteAddress}`]: MAX_IN_REVIEW_PER_ADDRESS });
        if (!waiting) return false;
        for (const giveBack of unknown.splice(0, unknown.length, waiting)) giveBack();
        socket.once('close', waiting);
        clearTimeout(late);
        late = setTimeout(() => socket.destroy(), REVIEW_MS);
        return true;
      },
    };
    if (socket.destroyed) return;
    try {
      this.speak(socket, remoteAddress, admission);
    } catch (error) {
      this.options.context.ports.log.error({ err: error }, 'an SSH connection could not be accepted');
      socket.destroy();
    }
  }

  /** Counts a connection that has not signed in, and closes one too many. Returns how to count it no more. */
  private admitUnknown(socket: Socket, names: Readonly<Record<string, number>>): () => void {
    const release = this.unauthenticated.take(names);
    if (release) socket.once('close', release);
    else socket.destroy();
    return release ?? (() => undefined);
  }

  private speak(socket: Socket, remoteAddress: string, admission: Admission): void {
    const { context } = this.options;
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

  private admit({ user, destination, connection, socket, remoteAddress }: Arrival): SshConnection | undefined {
    const { context } = this.options;
    const signOut = () =>
      void context.ssh.signIns.end(user.loginId).catch((error: unknown) => context.ports.log.error({ err: error }, 'a sign-in over SSH was not ended'));
    const release = this.signedIn.take({ [`person ${user.userId}`]: MAX_SOCKETS_PER_PERSON, [`address ${remoteAddress}`]: MAX_SOCKETS_PER_ADDRESS });
    if (!release) {
      signOut();
      return undefined;
    }
    const signedIn = new SshConnection({ context, connection, transport: socket, user, destination, remoteAddress });
    this.connections.set(signedIn, user.loginId);
    socket.once('close', () => {
      release();
      this.connections.delete(signedIn);
      signOut();
    });
    return signedIn;
  }
}

/** How a connection that has not signed in is counted. */
interface Admission {
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

function addNetwork(list: BlockList, network: string): void {
  const [address = '', bits] = network.split('/');
  const family = isIPv6(address) ? 'ipv6' : 'ipv4';
  if (bits === undefined) list.addAddress(address, family);
  else list.addSubnet(address, Number(bits), family);
}
