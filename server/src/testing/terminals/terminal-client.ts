import { once } from 'node:events';
import {
  ACKNOWLEDGE_EVERY,
  type ClientMessage,
  type PodPlace,
  type ProtocolName,
  type ServerMessage,
  TERMINAL_SOCKET_PATH,
  WATCH_SOCKET_PATH,
} from '@sallyport/contract';
import { WebSocket } from 'ws';
import { ANSWER_QUIET_MS } from '../../gateway/limits.ts';

/** Milliseconds of silence that end a wait. A flood takes its time on a busy machine. */
const PATIENCE = 100_000;

/** Does what a browser does with a terminal socket. */
export class TerminalClient {
  readonly messages: ServerMessage[] = [];
  output = '';
  received = 0;
  closeCode: number | undefined;
  /** Acknowledges output; set to false to imitate a stuck browser. */
  acknowledges = true;
  /** Keeps the output as text; set to false for gigabytes. */
  keepsOutput = true;
  /** Takes frames of a file transfer. */
  onFrames: (frames: Buffer) => void = () => undefined;
  readonly socket: WebSocket;
  /** Bytes of frames so far. */
  frameBytes = 0;
  private isTransfer = false;
  private unacknowledged = 0;
  private seen = 0;
  private awaitsScreen = false;
  /** Time of the last message or output. */
  private lastHeard = performance.now();

  constructor(url: string, headers: Readonly<Record<string, string>> = {}) {
    this.socket = new WebSocket(url, { perMessageDeflate: false, headers });
    this.socket.on('message', (data, isBinary) => {
      const bytes = Buffer.isBuffer(data) ? data : Buffer.alloc(0);
      this.lastHeard = performance.now();
      if (isBinary) this.take(bytes);
      else this.hear(JSON.parse(bytes.toString('utf8')));
    });
    this.socket.on('error', () => undefined);
    this.socket.on('close', (code) => {
      this.closeCode = code;
    });
  }

  /** Opens a socket and requests a connection. */
  static async connect(
    base: string,
    request: {
      asset: string;
      system_user: string;
      protocol?: ProtocolName;
      pod?: PodPlace;
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

  /** Opens a socket and resumes a session. */
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

  /** Opens a watching socket. */
  static watch(base: string, session: string): TerminalClient {
    return new TerminalClient(`${base}${WATCH_SOCKET_PATH}?session=${session}`);
  }

  send(message: ClientMessage): void {
    this.socket.send(JSON.stringify(message));
  }

  type(text: string): void {
    this.socket.send(Buffer.from(text));
  }

  /** Sends frames of a file transfer. */
  sendFrames(bytes: Uint8Array): void {
    this.socket.send(bytes);
  }

  /** Types as an answer to a question: keys that follow a question at once are not taken as one. */
  async answer(text: string): Promise<void> {
    await afterQuiet();
    this.type(text);
  }

  /** Waits for the first message of a type. */
  async message<Type extends ServerMessage['type']>(
    type: Type,
    milliseconds = PATIENCE,
  ): Promise<Extract<ServerMessage, { type: Type }>> {
    const isWanted = (message: ServerMessage): message is Extract<ServerMessage, { type: Type }> =>
      message.type === type;
    return this.until(`message ${type}`, () => this.messages.find(isWanted), milliseconds);
  }

  /** Waits until a file transfer is offered, or has ended. */
  async transfer(on: boolean): Promise<void> {
    await this.until(`a transfer: ${on}`, () => this.isTransfer === on || undefined);
  }

  /** Waits for text in the output after the previously awaited text. */
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

  /** Waits until a condition returns a value. Fails after that time without a message. */
  async until<Value>(
    what: string,
    condition: () => Value | undefined,
    milliseconds = PATIENCE,
  ): Promise<Value> {
    const began = performance.now();
    for (;;) {
      const value = condition();
      if (value !== undefined) return value;
      if (performance.now() - Math.max(began, this.lastHeard) > milliseconds) {
        throw new Error(
          `waited for ${what}; messages ${JSON.stringify(this.messages)}, output ends ${JSON.stringify(this.output.slice(-300))}`,
        );
      }
      await new Promise((done) => setTimeout(done, 5));
    }
  }

  /** Acknowledges received output, and future output immediately. */
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
    if (message.type === 'transfer') this.isTransfer = message.on;
    if (message.type === 'resumed') this.awaitsScreen = message.screen;
  }

  private take(bytes: Buffer): void {
    if (this.isTransfer) {
      this.frameBytes += bytes.length;
      this.onFrames(bytes);
    } else if (this.keepsOutput) this.output += bytes.toString('utf8');
    // A full screen is not counted.
    if (this.awaitsScreen) {
      this.awaitsScreen = false;
      return;
    }
    if (!this.isTransfer) this.received += bytes.length;
    this.unacknowledged += bytes.length;
    if (!this.acknowledges || this.unacknowledged < ACKNOWLEDGE_EVERY) return;
    this.send({ type: 'ack', bytes: this.unacknowledged });
    this.unacknowledged = 0;
  }
}

/** Waits until a user could have read a question that was shown. */
export const afterQuiet = (): Promise<void> =>
  new Promise((done) => setTimeout(done, ANSWER_QUIET_MS + 20));
