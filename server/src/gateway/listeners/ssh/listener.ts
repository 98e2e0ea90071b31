import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { type LocalText, say } from '@sallyport/contract';
import { DisconnectReason, refusal } from '@sallyport/ssh';
import { networkCheck } from '../../../platform/address-policy.ts';
import { networkOf } from '../../../platform/network-of.ts';
import {
  Allowance,
  INTRODUCTION_MS,
  MAX_IN_REVIEW,
  MAX_IN_REVIEW_PER_ADDRESS,
  MAX_REFUSED,
  MAX_UNAUTHENTICATED,
  MAX_UNAUTHENTICATED_PER_ADDRESS,
  REVIEW_MS,
  SIGN_IN_MS,
  TCP_KEEPALIVE,
} from '../../limits.ts';
import { IDENT } from './algorithms.ts';
import { closeSoon } from './close-soon.ts';
import type { SshContext } from './ports.ts';
import { plainAddress, takeProxyHeader } from './proxy-protocol.ts';
import { type Admission, type EndClient, SshSpeaker } from './speaker.ts';
import { words } from './words.ts';

/**
 * Minimum bytes from a client within the introduction timeout. Its algorithms follow the
 * identification without our answer.
 */
const FIRST_BYTES = 64;

export interface SshListenerOptions {
  readonly context: SshContext;
  readonly host: string;
  readonly port: number;
  /** Private keys in OpenSSH or PEM format. */
  readonly hostKeys: readonly string[];
  /** Networks whose connections start with a PROXY protocol header. */
  readonly trustedProxies: readonly string[];
}

/** The SSH listener: accepts clients and enforces limits. */
export class SshListener {
  private readonly options: SshListenerOptions;
  private readonly server: Server;
  private readonly isProxy: (address: string) => boolean;
  private readonly unauthenticated = new Allowance();
  private readonly inReview = new Allowance();
  private readonly speaker: SshSpeaker;
  private readonly refused = new Allowance();
  private readonly sockets = new Set<Socket>();
  /** How to end the connections that have not signed in. */
  private readonly arriving = new Map<Socket, EndClient>();

  constructor(options: SshListenerOptions) {
    this.options = options;
    this.speaker = new SshSpeaker(options.context, options.hostKeys);
    this.isProxy = networkCheck(options.trustedProxies);
    this.server = createServer(
      { noDelay: true, ...TCP_KEEPALIVE },
      (socket) => void this.accept(socket),
    );
  }

  /** Starts listening. @throws the system error if that fails */
  async listen(): Promise<void> {
    this.server.listen(this.options.port, this.options.host);
    await once(this.server, 'listening');
    this.server.on('error', (error) =>
      this.options.context.ports.log.error({ err: error }, 'the SSH listener failed'),
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

  /** Ends the connections of a sign-in. */
  signOut(loginId: string): void {
    this.speaker.signOut(loginId);
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
    this.options.context.ssh.signIns.hurryEnds();
    this.speaker.stop();
    for (const end of this.arriving.values()) end(words.stopping, DisconnectReason.byApplication);
    for (const socket of this.sockets) socket.destroy();
  }

  private async accept(socket: Socket): Promise<void> {
    this.sockets.add(socket);
    socket.once('close', () => {
      this.sockets.delete(socket);
      this.arriving.delete(socket);
    });
    socket.on('error', () => undefined);
    this.arriving.set(socket, (text, reason) => this.refuse(socket, text, reason));
    const peer = plainAddress(socket.remoteAddress);
    const release = this.admitUnknown(socket, { all: MAX_UNAUTHENTICATED }, words.serverBusy);
    if (!release) return;
    let late = setTimeout(() => this.end(socket, words.signInTimeout), SIGN_IN_MS);
    socket.once('close', () => clearTimeout(late));
    const isProxied = peer !== '' && this.isProxy(peer);
    const remoteAddress = isProxied ? await takeProxyHeader(socket, peer) : peer;
    if (socket.destroyed || socket.writableEnded) return;
    if (remoteAddress === undefined) {
      this.refuse(socket, words.noProxyHeader, DisconnectReason.protocolError);
      return;
    }
    const before = isProxied ? socket.bytesRead : 0;
    const introduced = setTimeout(() => {
      if (socket.bytesRead < before + FIRST_BYTES) this.end(socket, words.noIntroduction);
    }, INTRODUCTION_MS);
    socket.once('close', () => clearTimeout(introduced));
    const releaseAddress = this.admitUnknown(
      socket,
      { [`address ${networkOf(remoteAddress)}`]: MAX_UNAUTHENTICATED_PER_ADDRESS },
      words.manyUnauthenticated,
    );
    if (!releaseAddress) return;
    const unknown = [release, releaseAddress];
    const admission: Admission = {
      signedIn: () => {
        clearTimeout(late);
        this.arriving.delete(socket);
        for (const giveBack of unknown) giveBack();
      },
      reviewed: () => {
        // The user has proved a first factor. Count reviews separately, so that they and unknown
        // clients do not block each other.
        const waiting = this.inReview.take({
          all: MAX_IN_REVIEW,
          [`address ${networkOf(remoteAddress)}`]: MAX_IN_REVIEW_PER_ADDRESS,
        });
        if (!waiting) return false;
        for (const giveBack of unknown.splice(0, unknown.length, waiting)) giveBack();
        socket.once('close', waiting);
        clearTimeout(late);
        late = setTimeout(() => this.end(socket, words.reviewTimeout), REVIEW_MS);
        return true;
      },
    };
    try {
      this.arriving.set(socket, this.speaker.speak(socket, remoteAddress, admission));
    } catch (error) {
      this.options.context.ports.log.error(
        { err: error },
        'an SSH connection could not be accepted',
      );
      this.refuse(socket, words.failed, DisconnectReason.byApplication);
    }
  }

  /** Ends a connection that has not signed in. */
  private end(socket: Socket, text: LocalText): void {
    this.arriving.get(socket)?.(text, DisconnectReason.byApplication);
  }

  /** Closes a connection that has not started SSH. The first of many refused clients read why. */
  private refuse(socket: Socket, text: LocalText, reason: DisconnectReason): void {
    const release = socket.writable ? this.refused.take({ all: MAX_REFUSED }) : undefined;
    if (!release) {
      socket.destroy();
      return;
    }
    socket.once('close', release);
    socket.resume();
    socket.end(refusal(IDENT, reason, say(text, 'en')));
    closeSoon(socket);
  }

  /**
   * Counts a connection before sign-in. Returns a function to release it. Above the limit, refuses
   * the connection with the text and returns undefined.
   */
  private admitUnknown(
    socket: Socket,
    names: Readonly<Record<string, number>>,
    text: LocalText,
  ): (() => void) | undefined {
    const release = this.unauthenticated.take(names);
    if (release) socket.once('close', release);
    else this.refuse(socket, text, DisconnectReason.tooManyConnections);
    return release;
  }
}
