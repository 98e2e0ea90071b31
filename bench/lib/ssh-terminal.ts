import { once } from 'node:events';
import { connect } from 'node:net';
import type { Duplex } from 'node:stream';
import { type Client, ssh2 } from '@sallyport/ssh';

export interface SshCall {
  readonly port: number;
  /** `user@account@asset`. */
  readonly username: string;
  readonly privateKey: string;
  /** The address of loopback that the client comes from: sign-ins of one address are limited. */
  readonly from: string;
  /** Returns true if a host key belongs to the listener. */
  readonly isKnown: (key: Buffer) => boolean;
}

/** A shell through the SSH listener, on its own connection. */
export class SshTerminal {
  /** Called with each piece of output but the first. */
  onOutput: (bytes: Buffer) => void = () => undefined;
  /** Settles when the connection has closed. */
  readonly closed: Promise<unknown>;
  readonly #client: Client;
  readonly #channel: Duplex;

  private constructor(client: Client, channel: Duplex) {
    this.#client = client;
    this.#channel = channel;
    this.closed = new Promise((done) => client.once('close', () => done(undefined)));
  }

  /** Opens a shell and waits for its first output. @throws Error when it does not open */
  static async open({ port, username, privateKey, from, isKnown }: SshCall): Promise<SshTerminal> {
    const client = new ssh2.Client();
    const ready = once(client, 'ready');
    client.connect({
      // The sockets of ssh2 itself delay small packets: an echo would take up to 40 ms more.
      sock: connect({ host: '127.0.0.1', port, localAddress: from, noDelay: true }),
      username,
      privateKey,
      hostVerifier: isKnown,
    });
    await ready;
    client.on('error', () => undefined);
    const channel = await new Promise<Duplex>((done, fail) => {
      client.shell({ term: 'xterm', cols: 80, rows: 24 }, (error, opened) =>
        error ? fail(error) : done(opened),
      );
    });
    await once(channel, 'data');
    const terminal = new SshTerminal(client, channel);
    channel.on('data', (bytes: Buffer) => terminal.onOutput(bytes));
    return terminal;
  }

  type(text: string): void {
    this.#channel.write(text);
  }

  async close(): Promise<void> {
    this.#client.end();
    await this.closed;
  }
}
