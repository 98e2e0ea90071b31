import { once } from 'node:events';
import {
  ACKNOWLEDGE_EVERY,
  type ClientMessage,
  type ServerMessage,
  TERMINAL_SOCKET_PATH,
} from '@sallyport/contract';
import { WebSocket } from 'ws';

/** A terminal through the bastion, acknowledging what it gets as a browser does. */
export class BastionTerminal {
  received = 0;
  /** The id of the session. */
  session = '';
  /** Called with each piece of output. */
  onOutput: (bytes: Buffer) => void = () => undefined;
  /** Settles when the session has ended. */
  readonly closed: Promise<unknown>;
  readonly #socket: WebSocket;
  #unacknowledged = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    this.closed = new Promise((done) => socket.once('close', done));
  }

  /** Opens a shell. @throws Error with the message of the gateway if the shell does not open */
  static async open(
    base: string,
    token: string,
    target: { asset: string; system_user: string },
  ): Promise<BastionTerminal> {
    const socket = new WebSocket(`${base.replace('http', 'ws')}${TERMINAL_SOCKET_PATH}`, {
      perMessageDeflate: false,
      headers: { authorization: `Bearer ${token}` },
    });
    const terminal = new BastionTerminal(socket);
    const opened = new Promise<void>((done, fail) => {
      socket.once('error', fail);
      socket.once('close', (code) => fail(new Error(`the socket closed with ${code}`)));
      socket.on('message', (data, isBinary) => {
        const bytes = Buffer.isBuffer(data) ? data : Buffer.alloc(0);
        if (isBinary) return terminal.#take(bytes);
        const message = JSON.parse(bytes.toString('utf8')) as ServerMessage;
        if (message.type === 'open') {
          terminal.session = message.session;
          done();
        }
        if (message.type === 'closed')
          fail(new Error(`the session closed: ${message.code} ${message.message}`));
      });
    });
    await once(socket, 'open');
    terminal.#send({ type: 'connect', cols: 80, rows: 24, ...target });
    await opened;
    return terminal;
  }

  type(text: string): void {
    this.#socket.send(Buffer.from(text));
  }

  async close(): Promise<void> {
    const closed = once(this.#socket, 'close');
    this.#socket.close();
    await closed;
  }

  #send(message: ClientMessage): void {
    this.#socket.send(JSON.stringify(message));
  }

  #take(bytes: Buffer): void {
    this.received += bytes.length;
    this.#unacknowledged += bytes.length;
    if (this.#unacknowledged >= ACKNOWLEDGE_EVERY) {
      this.#send({ type: 'ack', bytes: this.#unacknowledged });
      this.#unacknowledged = 0;
    }
    this.onOutput(bytes);
  }
}
