import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type LocalText, say } from '@sallyport/contract';
import {
  ChannelStream,
  type Connection,
  DisconnectReason,
  endConnection,
  guardWindow,
  sendNow,
} from '@sallyport/ssh';
import { words } from '../listeners/ssh/words.ts';
import type { GatewayLog } from '../ports.ts';

/** Channels through one tunnel, and the window of each. */
export const MAX_CHANNELS = 2_000;
const WINDOW = 2 * 1024 * 1024;
/** A client from which nothing comes for this time has lost its way to us. */
const SILENCE_MS = 25_000;
/**
 * A client may be silent for this time after a request for a name. OpenSSH resolves one name after
 * the other and sends nothing meanwhile: ten seconds and more for each without a resolver.
 */
const RESOLVING_MS = 60_000;

/** A site that has signed in: a program of a network that reaches out to us. */
export interface SignedInSite {
  readonly id: string;
  readonly name: string;
}

/** Address and port that a site asked to forward. */
interface Bound {
  readonly address: string;
  readonly port: number;
}

export interface SiteParts {
  readonly site: SignedInSite;
  readonly connection: Connection;
  readonly transport: Socket;
  readonly log: GatewayLog;
  /** Called when channels can be opened. */
  readonly onOpen: () => void;
}

/**
 * The connection of a site. Its client asks to forward a port (`ssh -N -R 1080`), for which nothing
 * listens here: it only says that the client accepts channels, and speaks SOCKS on them. All other
 * requests of the client are refused.
 */
export class SiteConnection {
  readonly site: SignedInSite;
  private readonly connection: Connection;
  private readonly transport: Socket;
  private readonly streams = new Set<ChannelStream>();
  private bound: Bound | undefined;
  private opening = 0;
  /** Moment of `performance.now()` when the client was last asked for a name. */
  private resolvedAt = Number.NEGATIVE_INFINITY;
  /** Milliseconds of the latest answer to a channel; undefined before the first one. */
  roundTrip: number | undefined;

  constructor({ site, connection, transport, log, onOpen }: SiteParts) {
    this.site = site;
    this.connection = connection;
    this.transport = transport;
    const refused = (what: string) =>
      log.warn({ site: site.name, what }, 'a site asked for what it may not');
    connection.on('request', (accept, reject, name, info) => {
      if (name === 'tcpip-forward' && !this.bound && 'bindPort' in info) {
        this.bound = { address: info.bindAddr, port: info.bindPort || SOCKS_PORT };
        accept?.(info.bindPort === 0 ? SOCKS_PORT : undefined);
        onOpen();
        return;
      }
      refused(name);
      reject?.();
    });
    connection.on('session', (_accept, reject) => {
      refused('session');
      reject();
    });
    connection.on('tcpip', (_accept, reject) => {
      refused('direct-tcpip');
      reject();
    });
    const pump = () => {
      for (const stream of this.streams) stream.pump();
    };
    transport.on('drain', pump);
    connection.on('rekey', pump);
  }

  /** True if a channel can be opened now. */
  get isOpen(): boolean {
    return (
      this.bound !== undefined &&
      !this.transport.destroyed &&
      this.streams.size + this.opening < MAX_CHANNELS
    );
  }

  /** Number of open channels. */
  get channels(): number {
    return this.streams.size;
  }

  /** Opens a channel to the SOCKS server of the site. Rejects if the site refuses it. */
  openChannel(): Promise<Duplex> {
    const { bound } = this;
    if (!bound) return Promise.reject(new Error('the site has forwarded no port'));
    this.opening++;
    return new Promise<Duplex>((done, failed) => {
      this.connection.forwardOut(bound.address, bound.port, ORIGIN, 0, (error, channel) => {
        this.opening--;
        if (error) {
          failed(error);
          return;
        }
        guardWindow(channel, WINDOW, () => this.close(words.beyondWindow));
        const stream = new ChannelStream(channel, this.transport);
        this.streams.add(stream);
        stream.on('error', () => undefined);
        stream.once('close', () => this.streams.delete(stream));
        done(stream);
      });
    });
  }

  /** Tells the tunnel that its client is about to resolve a name. */
  resolves(): void {
    this.resolvedAt = performance.now();
  }

  /** Measures the round trip with a channel that carries nothing. Ends a silent connection. */
  async measure(): Promise<void> {
    if (!this.isOpen) return;
    const start = performance.now();
    const { bytesRead } = this.transport;
    const silence = setTimeout(() => {
      const mayResolve = performance.now() - this.resolvedAt < RESOLVING_MS;
      if (this.transport.bytesRead === bytesRead && !mayResolve) this.close(words.silentSite);
    }, SILENCE_MS);
    const stream = await this.openChannel().catch(() => undefined);
    clearTimeout(silence);
    if (stream) this.roundTrip = Math.round(performance.now() - start);
    stream?.destroy();
  }

  /** Ends the connection and all channels. The client receives the text. */
  close(text: LocalText): void {
    endConnection(this.connection, DisconnectReason.byApplication, say(text, 'en'));
    sendNow(this.transport);
    this.transport.destroy();
    this.left();
  }

  /** Ends all channels after the connection has closed. */
  left(): void {
    for (const stream of this.streams) stream.destroy();
  }
}

/** The port that is named to a client which leaves the choice to us. Nothing listens on it. */
const SOCKS_PORT = 1080;
/** Origin of the channels: no socket of a client. */
const ORIGIN = '127.0.0.1';
