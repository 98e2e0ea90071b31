import {
  type ClientMessage,
  type DesktopClientMessage,
  type DriveRequestMessage,
  type PodPlace,
  type ProtocolName,
  type ServerMessage,
  TERMINAL_SOCKET_PATH,
} from '@sallyport/contract';
import type { ConnectionEvents } from './connection-events.ts';
import {
  type ConnectionEvent,
  type ConnectionState,
  IDLE,
  nextConnectionState,
} from './connection-state.ts';
import { Emitter } from './emitter.ts';
import { encodeBinaryInput, encodeInput } from './frame-codec.ts';
import { Liveness } from './liveness.ts';
import { PacedInput } from './paced-input.ts';
import { Retries } from './retries.ts';
import { SentInput } from './sent-input.ts';
import { Acknowledger, socketUrl, TerminalSocket } from './terminal-socket.ts';
import { TransferLine } from './transfer-line.ts';

export interface Size {
  readonly cols: number;
  readonly rows: number;
}

export interface Destination {
  readonly asset: string;
  /** `asset` names a remote app. */
  readonly isApp?: boolean;
  readonly systemUser: string;
  /** The protocol of the account. */
  readonly protocol?: ProtocolName | undefined;
  /** `asset` names a cluster. */
  readonly pod?: PodPlace | undefined;
}

/** The message that asks for a session at a destination. */
export type FirstMessage = (
  destination: Destination,
  size: Size,
) => ClientMessage | DesktopClientMessage;

const askForTerminal: FirstMessage = ({ asset, systemUser, protocol, pod }, size) => ({
  type: 'connect',
  asset,
  system_user: systemUser,
  ...(protocol && { protocol }),
  ...(pod && { pod }),
  ...size,
});

/**
 * One person's way to one server: dials, answers, types and listens. A lost connection comes back
 * to the same shell; what ended can be dialled again.
 */
export class TerminalConnection extends Emitter<ConnectionEvents> {
  readonly #url: () => string;
  readonly #first: FirstMessage;
  #socket: TerminalSocket | null = null;
  #state: ConnectionState = IDLE;
  #size: Size = { cols: 80, rows: 24 };
  /** Bytes of output since the session began; unknown on a page that was loaded again. */
  #received: number | undefined;
  /** The next bytes are a whole screen. */
  #awaitsScreen = false;
  #transfer: TransferLine | null = null;
  readonly #sent = new SentInput();
  readonly #input = new PacedInput((frame) => {
    this.#sent.add(frame);
    this.#socket?.sendBytes(frame);
  });
  readonly #liveness = new Liveness(
    () => this.#socket?.send({ type: 'ping' }),
    () => this.#socket?.drop(),
  );
  readonly #retries = new Retries(() => this.#tryToReturn());

  constructor(
    url: () => string = () => socketUrl(TERMINAL_SOCKET_PATH),
    first: FirstMessage = askForTerminal,
  ) {
    super();
    this.#url = url;
    this.#first = first;
  }

  get state(): ConnectionState {
    return this.#state;
  }

  #apply(event: ConnectionEvent): void {
    const next = nextConnectionState(this.#state, event);
    if (next === this.#state) return;
    this.#state = next;
    if (next.phase === 'open') this.#liveness.start();
    else this.#liveness.stop();
    if (next.phase !== 'away') this.#retries.stop();
    this.emit('state', next);
  }

  /** Opens a new session at a destination; an older line of this connection is hung up first. */
  dial(destination: Destination, size: Size): void {
    this.hangUp();
    this.#size = size;
    this.#received = 0;
    this.#sent.startAt(0);
    this.#input.clear();
    this.#apply({ type: 'dial' });
    this.#connect(() => this.#first(destination, this.#size));
  }

  /** Comes back to a session that a page before this one, or another window, had open. */
  resume(session: string, size: Size): void {
    this.hangUp();
    this.#size = size;
    this.#received = undefined;
    this.#input.clear();
    this.#apply({ type: 'resume', session, now: Date.now() });
    this.#retries.start();
  }

  /** Tries to come back without waiting for the next attempt. */
  readonly returnNow = (): void => this.#retries.now();

  #connect(first: () => ClientMessage | DesktopClientMessage): void {
    const socket = new TerminalSocket(this.#url());
    this.#socket = socket;
    this.#awaitsScreen = false;
    const acknowledger = new Acknowledger((bytes) => socket.send({ type: 'ack', bytes }));
    socket.on('ready', () => socket.send(first()));
    socket.on('output', (bytes) => {
      this.#liveness.heard();
      if (this.#awaitsScreen) {
        this.#awaitsScreen = false;
        this.emit('output', { bytes, drawn: () => undefined });
        return;
      }
      const output = { bytes, drawn: () => acknowledger.drawn(bytes.byteLength) };
      if (this.#transfer) {
        this.#transfer.push(output);
        return;
      }
      this.#received = (this.#received ?? 0) + bytes.byteLength;
      this.emit('output', output);
    });
    socket.on('message', (message) => {
      this.#liveness.heard();
      if (message.type === 'resumed') this.#returned(message);
      if (message.type === 'taken') this.#input.taken(message.bytes);
      if (message.type === 'guests') this.emit('guests', message.guests);
      if (message.type === 'notice')
        this.emit('notice', { message: message.message, over: message.over });
      if (message.type === 'locked') this.emit('locked', message.message);
      if (message.type === 'desktop') this.emit('desktop', message);
      if (message.type === 'clipboard') this.emit('clipboard', message);
      if (message.type === 'files') this.emit('files', message);
      if (message.type === 'drive' || message.type === 'drive_state') this.emit('drive', message);
      if (message.type === 'resizable') this.emit('resizable', null);
      if (message.type === 'transfer') this.#setTransfer(message.on ? socket : null);
      this.#apply({ type: 'server', message, now: Date.now() });
      if (message.type === 'closed') socket.close();
    });
    socket.on('gone', ({ opened }) => {
      if (this.#socket !== socket) return;
      this.#socket = null;
      this.#setTransfer(null);
      if (this.#state.phase === 'away') this.#retries.failed();
      else {
        this.#apply({ type: 'gone', opened, now: Date.now() });
        if (this.#isAway()) this.#retries.start();
      }
    });
  }

  /** Begins a transfer on a socket, or ends the present one. */
  #setTransfer(socket: TerminalSocket | null): void {
    this.#transfer?.end();
    this.#transfer = socket && new TransferLine(socket, () => this.#input.drop());
    if (this.#transfer) this.emit('transfer', this.#transfer);
  }

  #isAway(): boolean {
    return this.#state.phase === 'away';
  }

  #tryToReturn(): void {
    const state = this.#state;
    if (state.phase !== 'away') return;
    this.#setTransfer(null);
    const socket = this.#socket;
    this.#socket = null;
    socket?.drop();
    if (Date.now() > state.until) this.#apply({ type: 'expired' });
    else {
      const received = this.#received;
      this.#connect(() => ({
        type: 'resume',
        session: state.session,
        ...(received !== undefined && { received }),
        ...this.#size,
      }));
    }
  }

  #returned({ screen, position, typed }: Extract<ServerMessage, { type: 'resumed' }>): void {
    this.#awaitsScreen = screen;
    if (screen) this.#received = position;
    // Input that never arrived is sent again, before new input.
    const lost = this.#sent.behind(typed);
    if (lost.length === 0) this.#sent.startAt(typed);
    this.#input.countFrom(lost.reduce((sum, { byteLength }) => sum + byteLength, typed));
    for (const bytes of lost) this.#socket?.sendBytes(bytes);
  }

  /**
   * Answers `need_credentials`, or `need_factor` and `need_reason` with the code or reason as the
   * password. The secret goes to the socket and is kept nowhere.
   */
  answer(username: string, password: string): void {
    const state = this.#state;
    if (state.phase !== 'credentials') return;
    const isFactor = state.reason === 'factor' || state.reason === 'factor_again';
    this.#socket?.send(
      state.reason === 'approval'
        ? { type: 'reason', text: password }
        : isFactor
          ? { type: 'factor', code: password }
          : { type: 'credentials', username, password },
    );
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

  /** Sends a break to a serial console or device. */
  sendBreak(): void {
    if (this.#state.phase === 'open') this.#socket?.send({ type: 'break' });
  }

  /** Asks for another size of a desktop, in pixels. */
  sendSize(width: number, height: number): void {
    if (this.#state.phase === 'open') this.#socket?.send({ type: 'size', width, height });
  }

  /** Sends a request for the drive of a desktop. */
  sendDrive(message: DriveRequestMessage): void {
    if (this.#state.phase === 'open') this.#socket?.send(message);
  }

  /** Sends bytes of a desktop's protocol. */
  sendFrame(bytes: Uint8Array<ArrayBuffer>): void {
    this.#sendInput(bytes);
  }

  #sendInput(bytes: Uint8Array<ArrayBuffer>): void {
    if (this.#state.phase === 'open' && !this.#transfer?.isAnswered) this.#input.push(bytes);
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

  /** Hangs up without a word, which ends the session; the state stays what it was. */
  hangUp(): void {
    this.#liveness.stop();
    this.#retries.stop();
    this.#setTransfer(null);
    const socket = this.#socket;
    this.#socket = null;
    socket?.close();
  }
}
