import { type DesktopFacts, GUEST_SOCKET_PATH, WATCH_SOCKET_PATH } from '@sallyport/contract';
import type { ClosedCode } from '../connection/connection-state.ts';
import { Emitter } from '../connection/emitter.ts';
import { encodeInput } from '../connection/frame-codec.ts';
import type { Output } from '../connection/output.ts';
import { PacedInput } from '../connection/paced-input.ts';
import type { Size } from '../connection/terminal-connection.ts';
import { Acknowledger, socketUrl, TerminalSocket } from '../connection/terminal-socket.ts';

/** Frames that arrive before the picture is ready; the gateway bounds them. */
export class WaitingFrames {
  #waiting: Output[] = [];
  #taker: ((output: Output) => void) | null = null;

  push(output: Output): void {
    if (this.#taker) this.#taker(output);
    else this.#waiting.push(output);
  }

  /** Passes waiting and later frames to a receiver; null removes the receiver. */
  take(taker: ((output: Output) => void) | null): void {
    this.#taker = taker;
    const waiting = this.#waiting;
    this.#waiting = [];
    if (taker) for (const output of waiting) taker(output);
  }
}

export type WatchState =
  | { readonly phase: 'joining' }
  | { readonly phase: 'live' }
  | {
      readonly phase: 'ended';
      readonly code: ClosedCode;
      readonly message: string | null;
      readonly retry: boolean;
    };

export interface WatchEvents {
  readonly state: WatchState;
  readonly size: Size;
  /** The session is a desktop; its frames arrive as output. */
  readonly desktop: DesktopFacts;
  /** Position of the pointer of the desktop. */
  readonly pointer: { readonly x: number; readonly y: number };
  readonly output: Output;
  /** For a guest: typing was allowed or forbidden. */
  readonly types: boolean;
  /** For a guest: the server requests a code of the second factor; true after a wrong code. */
  readonly factor: boolean;
}

/** Connection to another user's live session; a guest may be allowed to type. */
export class WatchConnection extends Emitter<WatchEvents> {
  readonly #url: string;
  #socket: TerminalSocket | null = null;
  #state: WatchState = { phase: 'joining' };
  #types = false;
  readonly #input = new PacedInput((frame) => this.#socket?.sendBytes(frame));

  constructor(session: string, url: string = socketUrl(WATCH_SOCKET_PATH, { session })) {
    super();
    this.#url = url;
  }

  #become(state: WatchState): void {
    // The first reason is the cause; later ones follow from it.
    if (this.#state.phase === 'ended' && state.phase === 'ended') return;
    this.#state = state;
    this.emit('state', state);
  }

  /** Joins or rejoins the session. */
  join(): void {
    this.leave();
    this.#types = false;
    this.#become({ phase: 'joining' });
    const socket = new TerminalSocket(this.#url);
    this.#socket = socket;
    const acknowledger = new Acknowledger((bytes) => socket.send({ type: 'ack', bytes }));
    const live = () => {
      if (this.#state.phase === 'joining') this.#become({ phase: 'live' });
    };
    socket.on('output', (bytes) => {
      live();
      this.emit('output', { bytes, drawn: () => acknowledger.drawn(bytes.byteLength) });
    });
    socket.on('message', (message) => {
      if (message.type === 'resize') {
        live();
        this.emit('size', { cols: message.cols, rows: message.rows });
      } else if (message.type === 'desktop') {
        live();
        this.emit('desktop', message);
      } else if (message.type === 'pointer') {
        this.emit('pointer', message);
      } else if (message.type === 'invited') {
        this.#types = message.types;
        this.emit('types', message.types);
      } else if (message.type === 'taken') {
        this.#input.taken(message.bytes);
      } else if (message.type === 'need_factor') {
        this.emit('factor', message.again);
      } else if (message.type === 'closed') {
        this.#become({
          phase: 'ended',
          code: message.code,
          message: message.message,
          retry: message.retry,
        });
        socket.close();
      }
    });
    socket.on('gone', ({ opened }) => {
      if (this.#socket === socket)
        this.#become({
          phase: 'ended',
          code: opened ? 'line_lost' : 'line_refused',
          message: null,
          retry: true,
        });
    });
  }

  /** Types text, if the guest may type. */
  type(text: string): void {
    if (!this.#types || this.#state.phase !== 'live') return;
    this.#input.push(encodeInput(text));
  }

  /** Answers `factor`. */
  answerFactor(code: string): void {
    this.#socket?.send({ type: 'factor', code });
  }

  /** Leaves the session. */
  leave(): void {
    const socket = this.#socket;
    this.#socket = null;
    socket?.close();
  }
}

/** Connects a guest to the session of their invitation. */
export const guestConnection = (invitation: string): WatchConnection =>
  new WatchConnection('', socketUrl(GUEST_SOCKET_PATH, { invitation }));
