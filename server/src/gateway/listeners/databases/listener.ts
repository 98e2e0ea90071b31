import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { type SecureContext, TLSSocket } from 'node:tls';
import { StreamEnded } from '@sallyport/sql-relays';
import { readFairly } from '../../../platform/fair-reads.ts';
import { networkOf } from '../../../platform/network-of.ts';
import {
  Allowance,
  DATABASE_SIGN_IN_MS,
  MAX_SOCKETS_PER_ADDRESS,
  MAX_SOCKETS_PER_PERSON,
  MAX_UNAUTHENTICATED,
  MAX_UNAUTHENTICATED_PER_ADDRESS,
} from '../../limits.ts';
import { plainAddress } from '../ssh/proxy-protocol.ts';
import type { DatabaseContext } from './ports.ts';

export interface Arrival {
  readonly context: DatabaseContext;
  readonly socket: Socket;
  readonly remoteAddress: string;
  /** Aborts when the client takes too long to sign in or disconnects. */
  readonly signal: AbortSignal;
  /** Counts the signed-in connection for its user. Returns false if the user has too many. */
  readonly signedIn: (userId: string) => boolean;
}

/** Serves one client in the protocol of a database type. */
export type Speak = (arrival: Arrival) => Promise<void>;

export interface DatabaseListenerOptions {
  readonly context: DatabaseContext;
  readonly host: string;
  readonly port: number;
  readonly speak: Speak;
}

/** Accepts database clients and limits their number before and after sign-in. */
export class DatabaseListener {
  private readonly options: DatabaseListenerOptions;
  private readonly server: Server;
  private readonly unauthenticated = new Allowance();
  private readonly signedIn = new Allowance();
  private readonly sockets = new Set<Socket>();

  constructor(options: DatabaseListenerOptions) {
    this.options = options;
    this.server = createServer({ noDelay: true, pauseOnConnect: true }, (socket) =>
      this.accept(socket),
    );
  }

  /** Starts listening. @throws the system error if that fails */
  async listen(): Promise<void> {
    this.server.listen(this.options.port, this.options.host);
    await once(this.server, 'listening');
    this.server.on('error', (error) =>
      this.options.context.ports.log.error({ err: error }, 'a listener for databases failed'),
    );
  }

  /** The port; 0 while not listening. */
  get port(): number {
    const address = this.server.address() as AddressInfo | null;
    return address?.port ?? 0;
  }

  get isListening(): boolean {
    return this.server.listening;
  }

  /** Stops accepting connections. Existing ones stay open. */
  stopAccepting(): void {
    this.server.close();
  }

  /** Stops accepting connections, and waits until the open ones have ended. */
  handOver(): Promise<unknown> {
    return new Promise((settle) => this.server.close(settle));
  }

  /** Ends all connections. The caller should end their sessions first. */
  stop(): void {
    this.stopAccepting();
    for (const socket of this.sockets) socket.destroy();
  }

  private accept(socket: Socket): void {
    const { context, speak } = this.options;
    const remoteAddress = plainAddress(socket.remoteAddress);
    this.sockets.add(socket);
    socket.once('close', () => this.sockets.delete(socket));
    socket.on('error', () => undefined);
    const release = this.unauthenticated.take({
      all: MAX_UNAUTHENTICATED,
      [`address ${networkOf(remoteAddress)}`]: MAX_UNAUTHENTICATED_PER_ADDRESS,
    });
    if (!release) {
      socket.destroy();
      return;
    }
    const gone = new AbortController();
    const late = setTimeout(() => socket.destroy(), DATABASE_SIGN_IN_MS);
    socket.once('close', () => {
      clearTimeout(late);
      release();
      gone.abort(new Error('the client is gone'));
    });
    readFairly(socket);
    const signedIn = (userId: string) => {
      clearTimeout(late);
      release();
      const held = this.signedIn.take({
        [`person ${userId}`]: MAX_SOCKETS_PER_PERSON,
        [`address ${networkOf(remoteAddress)}`]: MAX_SOCKETS_PER_ADDRESS,
      });
      if (held) socket.once('close', held);
      return held !== undefined;
    };
    speak({ context, socket, remoteAddress, signal: gone.signal, signedIn }).catch(
      (error: unknown) => {
        // The client violated the protocol or disconnected; that is no error of ours.
        if (
          !gone.signal.aborted &&
          !(error instanceof Error && ['ProtocolViolation', 'StreamEnded'].includes(error.name))
        )
          context.ports.log.error({ err: error }, 'a client of a database could not be served');
        socket.destroy();
      },
    );
  }
}

/** Starts TLS with a client that requested it. @throws StreamEnded, or the reason of the signal */
export function answerTls(
  socket: Socket,
  secureContext: SecureContext,
  signal: AbortSignal,
): Promise<TLSSocket> {
  return new Promise((done, failed) => {
    // The TLS socket reads from the socket itself.
    const secured = new TLSSocket(socket, {
      isServer: true,
      secureContext,
      ALPNProtocols: ['postgresql'],
    });
    const gone = () => giveUp(new StreamEnded('TLS did not begin'));
    const abort = () => giveUp(signal.reason);
    const settle = () => {
      signal.removeEventListener('abort', abort);
      secured.off('close', gone);
      secured.off('error', gone);
    };
    const giveUp = (reason: unknown) => {
      settle();
      secured.on('error', () => undefined);
      secured.destroy();
      failed(reason);
    };
    signal.addEventListener('abort', abort, { once: true });
    secured.once('close', gone);
    secured.once('error', gone);
    secured.once('secure', () => {
      settle();
      secured.on('error', () => undefined);
      done(secured);
    });
  });
}
