import { type ProtocolName, TERMINAL_SOCKET_PATH } from '@sallyport/contract';
import { Acknowledger } from './acknowledger.ts';
import { type ConnectionEvent, type ConnectionState, IDLE, nextConnectionState } from './connection-state.ts';
import { Emitter } from './emitter.ts';
import { encodeBinaryInput, encodeInput } from './frame-codec.ts';
import { socketUrl, TerminalSocket } from './terminal-socket.ts';

/** A frame of input is at most this long, so that a huge paste is not refused as an oversized frame. */
const INPUT_FRAME = 32 * 1024;

export interface Size {
  readonly cols: number;
  readonly rows: number;
}

export interface Destination {
  readonly asset: string;
  readonly systemUser: string;
  /** The protocol of the account. */
  readonly protocol?: ProtocolName | undefined;
}

/** A portion of output; `drawn` must be called once it is on the screen, or the gateway stops sending. */
export interface Output {
  readonly bytes: Uint8Array;
  readonly drawn: () => void;
}

export interface ConnectionEvents {
  readonly state: ConnectionState;
  readonly output: Output;
}

/** One person's way to one server: dials, answers, types and listens. It can be dialled again after it closed. */
export class TerminalConnection extends Emitter<ConnectionEvents> {
  readonly #url: () => string;
  #socket: TerminalSocket | null = null;
  #state: ConnectionState = IDLE;
  #size: Size = { cols: 80, rows: 24 };

  constructor(url: () => string = () => socketUrl(TERMINAL_SOCKET_PATH)) {
    super();
    this.#url = url;
  }

  get state(): ConnectionState {
    return this.#state;
  }

  #apply(event: ConnectionEvent): void {
    const next = nextConnectionState(this.#state, event);
    if (next === this.#state) return;
    this.#state = next;
    this.emit('state', next);
  }

  /** Opens a new session at a destination; an older line of this connection is hung up first. */
  dial(destination: Destination, size: Size): void {
    this.hangUp();
    this.#size = size;
    this.#apply({ type: 'dial' });
    const socket = new TerminalSocket(this.#url());
    this.#socket = socket;
    const acknowledger = new Acknowledger((bytes) => socket.send({ type: 'ack', bytes }));
    socket.on('ready', () => {
      const { cols, rows } = this.#size;
      const { asset, systemUser, protocol } = destination;
      socket.send({ type: 'connect', asset, system_user: systemUser, ...(protocol && { protocol }), cols, rows });
    });
    socket.on('output', (bytes) => this.emit('output', { bytes, drawn: () => acknowledger.drawn(bytes.byteLength) }));
    socket.on('message', (message) => {
      this.#apply({ type: 'server', message, now: Date.now() });
      if (message.type === 'closed') socket.close();
    });
    socket.on('gone', ({ opened }) => {
      if (this.#socket === socket) this.#apply({ type: 'gone', opened });
    });
  }

  /** Answers `need_credentials`. The secret goes to the socket and is kept nowhere. */
  answer(username: string, password: string): void {
    if (this.#state.phase !== 'credentials') return;
    this.#socket?.send({ type: 'credentials', username, password });
    this.#apply({ type: 'answered' });
  }

  /** Types text. */
  type(text: string): void {
    this.#sendInput(encodeInput(text));
  }

  /** Sends bytes that the terminal itself produced, one per character. */
  typeBinary(text: string): void {
    this.#sendInput(encodeBinaryInput(text));
  }

  #sendInput(bytes: Uint8Array<ArrayBuffer>): void {
    if (this.#state.phase !== 'open') return;
    for (let at = 0; at < bytes.byteLength; at += INPUT_FRAME) this.#socket?.sendBytes(bytes.subarray(at, at + INPUT_FRAME));
  }

  /** Sends the new size of the screen; the same size is not sent twice. */
  resize({ cols, rows }: Size): void {
    if (cols === this.#size.cols && rows === this.#size.rows) return;
    this.#size = { cols, rows };
    this.#socket?.send({ type: 'resize', cols, rows });
  }

  /** Gives up an attempt that is not open yet. The server ends it with the line. */
  cancel(): void {
    if (this.#state.phase !== 'connecting' && this.#state.phase !== 'credentials') return;
    this.hangUp();
    this.#apply({ type: 'cancelled' });
  }

  /** Hangs up without a word; the state stays what it was. */
  hangUp(): void {
    const socket = this.#socket;
    this.#socket = null;
    socket?.close();
  }
}
