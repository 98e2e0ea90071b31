import {
  ACKNOWLEDGE_EVERY,
  CLOSED_TO_RETURN,
  type ClientMessage,
  type DesktopClientMessage,
  type ServerMessage,
} from '@sallyport/contract';
import { Emitter } from './emitter.ts';
import { decodeFrame, encodeMessage } from './frame-codec.ts';

export interface SocketEvents {
  readonly ready: undefined;
  readonly output: Uint8Array;
  readonly message: ServerMessage;
  /** The connection has ended. `opened`: it was open before. */
  readonly gone: { readonly opened: boolean };
}

/** Returns the address of a socket of this server, from the page's address. */
export function socketUrl(path: string, query: Readonly<Record<string, string>> = {}): string {
  const url = new URL(path, window.location.href);
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
  url.search = new URLSearchParams(query).toString();
  url.hash = '';
  return url.href;
}

/** One WebSocket to the gateway: frames in, events out. Does not interpret messages. */
export class TerminalSocket extends Emitter<SocketEvents> {
  readonly #socket: WebSocket;
  #opened = false;
  #gone = false;

  constructor(url: string) {
    super();
    this.#socket = new WebSocket(url);
    this.#socket.binaryType = 'arraybuffer';
    this.#socket.addEventListener('open', () => {
      this.#opened = true;
      this.emit('ready', undefined);
    });
    this.#socket.addEventListener('message', ({ data }) => this.#receive(data));
    // An `error` event is always followed by `close`, and says nothing that `close` does not.
    this.#socket.addEventListener('close', () => this.#leave());
  }

  #receive(data: unknown): void {
    if (this.#gone) return;
    const frame = decodeFrame(data);
    if (frame.kind === 'output') this.emit('output', frame.bytes);
    else if (frame.kind === 'message') this.emit('message', frame.message);
  }

  #leave(): void {
    if (this.#gone) return;
    this.#gone = true;
    this.emit('gone', { opened: this.#opened });
  }

  /** Sends one message; nothing happens when the line is not open. */
  send(message: ClientMessage | DesktopClientMessage): void {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(encodeMessage(message));
  }

  /** Sends keystrokes; nothing happens when the line is not open. */
  sendBytes(bytes: Uint8Array<ArrayBuffer>): void {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(bytes);
  }

  /** Hangs up, which ends the session; nothing is emitted any more but `gone`. */
  close(): void {
    this.#socket.close(1000);
    this.#leave();
  }

  /** Gives up this socket, not its session; nothing is emitted any more but `gone`. */
  drop(): void {
    this.#socket.close(CLOSED_TO_RETURN);
    this.#leave();
  }
}

/**
 * Counts drawn bytes and reports them in portions, so that the gateway knows how much more it may
 * send.
 */
export class Acknowledger {
  #drawn = 0;
  readonly #send: (bytes: number) => void;

  constructor(send: (bytes: number) => void) {
    this.#send = send;
  }

  /** Notes bytes that are on the screen now. */
  drawn(bytes: number): void {
    this.#drawn += bytes;
    if (this.#drawn < ACKNOWLEDGE_EVERY) return;
    this.#send(this.#drawn);
    this.#drawn = 0;
  }
}
