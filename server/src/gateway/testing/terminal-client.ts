import { once } from 'node:events';
import {
  ACKNOWLEDGE_EVERY,
  type ClientMessage,
  type ProtocolName,
  type ServerMessage,
  TERMINAL_SOCKET_PATH,
  WATCH_SOCKET_PATH,
} from '@sallyport/contract';
import { WebSocket } from 'ws';

/** How long it is waited for what must come, also on a busy machine; a test that fails takes that long. */
const PATIENCE = 100_000;

/** What a browser does with a terminal socket, for tests and measures. */
export class TerminalClient {
  readonly messages: ServerMessage[] = [];
  output = '';
  received = 0;
  closeCode: number | undefined;
  /** Whether output is acknowledged; a test that plays a stuck browser turns it off. */
  acknowledges = true;
  /** Whether the output is kept as text; off while gigabytes come. */
  keepsOutput = true;
  readonly socket: WebSocket;
  private unacknowledged = 0;
  private seen = 0;
  private awaitsScreen = false;

  constructor(url: string, headers: Readonly<Record<string, string>> = {}) {
    this.socket = new WebSocket(url, { perMessageDeflate: false, headers });
    this.socket.on('message', (data, isBinary) => {
      const bytes = Buffer.isBuffer(data) ? data : Buffer.alloc(0);
      if (isBinary) this.take(bytes);
      else this.hear(JSON.parse(bytes.toString('utf8')));
    });
    this.socket.on('error', () => undefined);
    this.socket.on('close', (code) => {
      this.closeCode = code;
    });
  }

  /** Opens a socket and asks for a connection. */
  static async connect(
    base: string,
    request: {
      asset: string;
      system_user: string;
      protocol?: ProtocolName;
      cols?: number;
      rows?: number;
    },
    headers: Readonly<Record<string, string>> = {},
  ): Promise<TerminalClient> {
    const client = new TerminalClient(`${base}${TERMINAL_SOCKET_PATH}`, headers);
    await once(client.socket, 'open');
    client.send({ type: 'connect', cols: 80, rows: 24, ...request });
    return client;
  }

  /** Opens a socket and comes back to a session. */
  static async resume(
    base: string,
    request: { session: string; received?: number; cols?: number; rows?: number },
    headers: Readonly<Record<string, string>> = {},
  ): Promise<TerminalClient> {
    const client = new TerminalClient(`${base}${TERMINAL_SOCKET_PATH}`, headers);
    await once(client.socket, 'open');
    client.send({ type: 'resume', cols: 80, rows: 24, ...request });
    return client;
  }

  /** Opens a socket that watches. */
  static watch(base: string, session: string): TerminalClient {
    return new TerminalClient(`${base}${WATCH_SOCKET_PATH}?session=${session}`);
  }

  send(message: ClientMessage): void {
    this.socket.send(JSON.stringify(message));
  }

  type(text: string): void {
    this.socket.send(Buffer.from(text));
  }

  /** The first message of a type. */
  async message<Type extends ServerMessage['type']>(
    type: Type,
    milliseconds = PATIENCE,
  ): Promise<Extract<ServerMessage, { type: Type }>> {
    const isWanted = (message: ServerMessage): message is Extract<ServerMessage, { type: Type }> =>
      message.type === type;
    return this.until(`message ${type}`, () => this.messages.find(isWanted), milliseconds);
  }

  /** Waits for a text in the output that no earlier call has seen. */
  async waitFor(text: string, milliseconds = PATIENCE): Promise<void> {
    await this.until(
      JSON.stringify(text),
      () => {
        const at = this.output.indexOf(text, this.seen);
        if (at >= 0) this.seen = at + text.length;
        return at >= 0 ? true : undefined;
      },
      milliseconds,
    );
  }

  /** Waits until a condition gives a value. */
  async until<Value>(
    what: string,
    condition: () => Value | undefined,
    milliseconds = PATIENCE,
  ): Promise<Value> {
    const deadline = performance.now() + milliseconds;
    for (;;) {
      const value = condition();
      if (value !== undefined) return value;
      if (performance.now() > deadline) {
        throw new Error(
          `waited for ${what}; messages ${JSON.stringify(this.messages)}, output ends ${JSON.stringify(this.output.slice(-300))}`,
        );
      }
      await new Promise((done) => setTimeout(done, 5));
    }
  }

  /** Acknowledges what has come, and what comes from now on. */
  acknowledge(): void {
    this.acknowledges = true;
    this.send({ type: 'ack', bytes: this.unacknowledged });
    this.unacknowledged = 0;
  }

  async close(): Promise<void> {
    if (this.socket.readyState === WebSocket.CLOSED) return;
    const closed = once(this.socket, 'close');
    this.socket.close();
    await closed;
  }

  private hear(message: ServerMessage): void {
    this.messages.push(message);
    if (message.type === 'resumed') this.awaitsScreen = message.screen;
  }

  private take(bytes: Buffer): void {
    if (this.keepsOutput) this.output += bytes.toString('utf8');
    // A whole screen is not counted.
    if (this.awaitsScreen) {
      this.awaitsScreen = false;
      return;
    }
    this.received += bytes.length;
    this.unacknowledged += bytes.length;
    if (!this.acknowledges || this.unacknowledged < ACKNOWLEDGE_EVERY) return;
    this.send({ type: 'ack', bytes: this.unacknowledged });
    this.unacknowledged = 0;
  }
}
