import {
  CLOSED_TO_RETURN,
  type DatabaseServerMessage,
  INPUT_WINDOW,
  type Language,
  PING_SECONDS,
  type Problem,
  type ServerMessage,
} from '@sallyport/contract';
import type { RawData, WebSocket } from 'ws';
import { MAX_FRAME } from '../../limits.ts';
import { canRetry, wordProblem } from '../../refusal.ts';

/** Report after this many consumed bytes. */
const REPORT_BYTES = INPUT_WINDOW / 4;
/** Polling interval: a slow target does not report that it has caught up. */
const POLL_MS = 20;

/**
 * Tells a client how much of its input the target has consumed. A large paste therefore waits in
 * the browser and not here.
 */
export class InputWindow {
  private readonly waiting: () => number;
  private readonly report: (bytes: number) => void;
  private arrivedBytes = 0;
  private reported = 0;
  private timer: NodeJS.Timeout | undefined;

  /** `waiting` returns the unconsumed bytes. `report` sends the total number of consumed bytes. */
  constructor(waiting: () => number, report: (bytes: number) => void) {
    this.waiting = waiting;
    this.report = report;
  }

  /** Total bytes of input received. */
  get arrived(): number {
    return this.arrivedBytes;
  }

  /** Reports the position to a client that starts or resumes. */
  begin(): void {
    this.reported = this.taken();
    this.report(this.reported);
    this.poll();
  }

  /** Counts received bytes. */
  add(bytes: number): void {
    this.arrivedBytes += bytes;
    if (!this.timer) this.poll();
  }

  /** Stops reporting. */
  stop(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }

  private taken(): number {
    return Math.max(this.reported, this.arrivedBytes - this.waiting());
  }

  private poll(): void {
    this.stop();
    if (this.arrivedBytes - this.reported < REPORT_BYTES) return;
    const taken = this.taken();
    if (taken - this.reported >= REPORT_BYTES || taken === this.arrivedBytes) {
      this.reported = taken;
      this.report(taken);
    }
    if (taken < this.arrivedBytes) this.timer = setTimeout(() => this.poll(), POLL_MS).unref();
  }
}

/** Close codes for a client that violates the protocol, which gets no `closed` message. */
export const CLOSE = { normal: 1000, invalid: 1007, policy: 1008, tooBig: 1009 } as const;

/**
 * Close codes after which the user may return: the page was left or reloaded, or the connection was
 * lost. RFC 6455, section 7.4.1.
 */
const KEEPING_CODES: ReadonlySet<number> = new Set([1001, 1006, CLOSED_TO_RETURN]);
const CLOSE_GRACE_MS = 2000;

export interface SocketEvents {
  onText(text: string): void;
  onBytes(bytes: Buffer): void;
  /**
   * Called once when the peer has left or was disconnected. `isMeant` is true if it said goodbye,
   * not after a lost connection.
   */
  onGone(isMeant: boolean): void;
}

/** A WebSocket of the terminal protocol: validates frames, sends pings and a final message. */
export class ProtocolSocket {
  private readonly socket: WebSocket;
  private readonly language: Language;
  private readonly pinger: NodeJS.Timeout;
  private answeredAt = performance.now();
  private readonly stopListening: () => void;
  private over = false;

  constructor(socket: WebSocket, language: Language, events: SocketEvents) {
    this.socket = socket;
    this.language = language;
    const listeners = {
      message: (data: RawData, isBinary: boolean) => this.receive(data, isBinary, events),
      pong: () => {
        this.answeredAt = performance.now();
      },
      close: (code: number) => {
        this.over = true;
        clearInterval(this.pinger);
        events.onGone(!KEEPING_CODES.has(code));
      },
    };
    socket.on('error', () => undefined);
    for (const [event, listener] of Object.entries(listeners)) socket.on(event, listener);
    this.stopListening = () => {
      for (const [event, listener] of Object.entries(listeners)) socket.off(event, listener);
    };
    this.pinger = setInterval(() => this.ping(), PING_SECONDS * 1000);
  }

  /** True once either side has closed it. */
  get isOver(): boolean {
    return this.over;
  }

  /** Unsent bytes of a slow peer. */
  get backlog(): number {
    return this.socket.bufferedAmount;
  }

  /** Calls `done` when the message has left the process, or the socket has closed. */
  send(message: ServerMessage | DatabaseServerMessage, done?: () => void): void {
    if (this.over) done?.();
    else this.socket.send(JSON.stringify(message), done && (() => done()));
  }

  sendBytes(bytes: Buffer, done?: () => void): void {
    if (!this.over) this.socket.send(bytes, { binary: true }, done);
  }

  /** Pauses or resumes reading. */
  hold(on: boolean): void {
    if (this.over || on === this.socket.isPaused) return;
    if (on) this.socket.pause();
    else {
      this.answeredAt = performance.now();
      this.socket.resume();
    }
  }

  /** Detaches and returns the socket; this object stops using it. */
  release(): WebSocket {
    this.over = true;
    clearInterval(this.pinger);
    this.stopListening();
    return this.socket;
  }

  /** Sends the reason in the user's language, and closes. */
  finish(problem: Problem): void {
    this.send({
      type: 'closed',
      code: problem.code,
      message: wordProblem(problem, this.language),
      retry: canRetry(problem),
    });
    this.close(CLOSE.normal, problem.code);
  }

  /** Closes with a protocol code. */
  close(code: number, reason: string): void {
    if (this.over) return;
    if (this.socket.isPaused) this.socket.resume();
    this.over = true;
    clearInterval(this.pinger);
    this.socket.close(code, reason);
    // Terminate a peer that does not answer the close.
    setTimeout(() => this.socket.terminate(), CLOSE_GRACE_MS).unref();
  }

  private receive(data: RawData, isBinary: boolean, events: SocketEvents): void {
    if (this.over) return;
    this.answeredAt = performance.now();
    const bytes = Buffer.isBuffer(data)
      ? data
      : Array.isArray(data)
        ? Buffer.concat(data)
        : Buffer.from(data);
    if (bytes.length > MAX_FRAME) this.close(CLOSE.tooBig, 'frame too large');
    else if (isBinary) events.onBytes(bytes);
    else events.onText(bytes.toString('utf8'));
  }

  private ping(): void {
    if (performance.now() - this.answeredAt > 2 * PING_SECONDS * 1000) this.socket.terminate();
    else this.socket.ping();
  }
}
