import { once } from 'node:events';
import {
  type AddressInfo,
  BlockList,
  createServer,
  isIPv6,
  type Server,
  type Socket,
} from 'node:net';
import { Allowance } from '../../allowance.ts';
import {
  INTRODUCTION_MS,
  MAX_IN_REVIEW,
  MAX_IN_REVIEW_PER_ADDRESS,
  MAX_UNAUTHENTICATED,
  MAX_UNAUTHENTICATED_PER_ADDRESS,
  REVIEW_MS,
  SIGN_IN_MS,
} from '../../limits.ts';
import type { SshContext } from './context.ts';
import { plainAddress, takeProxyHeader } from './proxy-protocol.ts';
import type { Admission, SshSpeaker } from './speaker.ts';

/** Bytes that each SSH client sends at once: its identification is shorter, and its algorithms follow without an answer. */
const FIRST_BYTES = 64;

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

/** The SSH listener: accepts clients and counts them. What speaks SSH with them is loaded with the first one: an idle server needs none of it. */
export class SshListener {
  private readonly options: SshListenerOptions;
  private readonly server: Server;
  private readonly proxies = new BlockList();
  private readonly unauthenticated = new Allowance();
  private readonly inReview = new Allowance();
  private speaker: SshSpeaker | undefined;
  private readonly sockets = new Set<Socket>();

  constructor(options: SshListenerOptions) {
    this.options = options;
    for (const network of options.trustedProxies) addNetwork(this.proxies, network);
    this.server = createServer({ noDelay: true }, (socket) => void this.accept(socket));
  }

  /** Begins to listen. @throws the system's error when that is not possible */
  async listen(): Promise<void> {
    this.server.listen(this.options.port, this.options.host);
    await once(this.server, 'listening');
    this.server.on('error', (error) =>
      this.options.context.ports.log.error({ err: error }, 'the SSH listener failed'),
    );
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
    this.speaker?.signOut(loginId);
  }

  /** Accepts nobody any more; who is signed in stays. */
  stopAccepting(): void {
    this.server.close();
  }

  /** Ends all connections. Their sessions should have ended before. */
  stop(): void {
    this.stopAccepting();
    this.speaker?.stop();
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
    const before = isProxied ? socket.bytesRead : 0;
    const introduced = setTimeout(() => {
      if (socket.bytesRead < before + FIRST_BYTES) socket.destroy();
    }, INTRODUCTION_MS);
    socket.once('close', () => clearTimeout(introduced));
    const releaseAddress = this.admitUnknown(socket, {
      [`address ${remoteAddress}`]: MAX_UNAUTHENTICATED_PER_ADDRESS,
    });
    const unknown = [release, releaseAddress];
    const admission: Admission = {
      signedIn() {
        clearTimeout(late);
        for (const giveBack of unknown) giveBack();
      },
      reviewed: () => {
        // Who waits has proved a first factor: counted apart, so that strangers do not keep them out and they keep out no strangers.
        const waiting = this.inReview.take({
          all: MAX_IN_REVIEW,
          [`address ${remoteAddress}`]: MAX_IN_REVIEW_PER_ADDRESS,
        });
        if (!waiting) return false;
        for (const giveBack of unknown.splice(0, unknown.length, waiting)) giveBack();
        socket.once('close', waiting);
        clearTimeout(late);
        late = setTimeout(() => socket.destroy(), REVIEW_MS);
        return true;
      },
    };
    try {
      const { context, hostKeys } = this.options;
      const { SshSpeaker: Speaker } = await import('./speaker.ts');
      if (socket.destroyed) return;
      this.speaker ??= new Speaker(context, hostKeys);
      this.speaker.speak(socket, remoteAddress, admission);
    } catch (error) {
      this.options.context.ports.log.error(
        { err: error },
        'an SSH connection could not be accepted',
      );
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
}

function addNetwork(list: BlockList, network: string): void {
  const [address = '', bits] = network.split('/');
  const family = isIPv6(address) ? 'ipv6' : 'ipv4';
  if (bits === undefined) list.addAddress(address, family);
  else list.addSubnet(address, Number(bits), family);
}
