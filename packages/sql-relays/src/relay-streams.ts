import type { Duplex } from 'node:stream';
import type { Outgoing } from './journal.ts';

/** Bytes that wait for the log, above which the server is not read. */
const MAX_HELD = 64 * 1024;
/** Time for a side to close its connection. */
const CLOSE_MS = 2000;

/**
 * The reason for which a relay ended. `…-broke`: that side violated the protocol. `character-set`:
 * the server changed to another character set than UTF-8.
 */
export type RelayEnd = 'client' | 'target' | 'client-broke' | 'target-broke' | 'character-set';

export interface RelayStreamsParts {
  readonly client: Duplex;
  readonly target: Duplex;
  /**
   * Converts bytes of the client, in order, to bytes for the server. The client is paused while a
   * piece needs time; the next one is requested afterwards. @throws ProtocolViolation
   */
  readonly fromClient: (chunk: Buffer) => Iterable<Outgoing>;
  /** Converts bytes of the server to bytes for the client. @throws ProtocolViolation */
  readonly fromTarget: (chunk: Buffer) => Iterable<Buffer>;
  /**
   * Settles when all statements so far are in the log; undefined if none is pending. The client
   * gets no answers before.
   */
  readonly written: () => Promise<unknown> | undefined;
  /** Resets the idle timer. */
  readonly active: () => void;
  /** Called when the client has been sent all bytes so far. */
  readonly onPassed?: () => void;
  /** Called once with the reason of the end. */
  readonly onEnd: (how: RelayEnd) => void;
}

/** Both connections of a relay: reads them, applies back pressure and closes them. */
export class RelayStreams {
  private readonly parts: RelayStreamsParts;
  private over = false;
  /** Bytes that wait for the log, and the wait itself. */
  private held: Buffer[] = [];
  private heldBytes = 0;
  private holding: Promise<void> | undefined;
  private isDraining = false;

  constructor(parts: RelayStreamsParts) {
    this.parts = parts;
  }

  /** True after the end; nothing is relayed anymore. */
  get isOver(): boolean {
    return this.over;
  }

  /** True while bytes for the client wait for the log. */
  get isHolding(): boolean {
    return this.holding !== undefined;
  }

  /** Starts relaying. `already` are bytes that the server sent before. */
  start(already: Buffer = Buffer.alloc(0)): void {
    const { client, target } = this.parts;
    client.on('data', (chunk: Buffer) => this.take(chunk));
    target.on('data', (chunk: Buffer) => this.give(chunk));
    for (const event of ['end', 'close', 'error']) {
      client.on(event, () => this.end('client'));
      target.on(event, () => this.end('target'));
    }
    if (already.length > 0) this.give(already);
    client.resume();
    if (!this.over) target.resume();
  }

  /** Sends our own bytes to the client, after those that wait for the log. */
  toClient(bytes: Buffer): void {
    this.hold(bytes);
    this.pass();
  }

  /** Stops relaying. */
  end(how: RelayEnd): void {
    if (this.over) return;
    if (how === 'target' && this.holding) {
      // Send the last bytes of the server first.
      void this.holding.then(() => this.end(how));
      return;
    }
    this.over = true;
    this.parts.onEnd(how);
  }

  /**
   * Closes both connections after the last bytes for each. Answers that wait for the log precede
   * `toClient` once the log has their statements. `isLogFailed`: it never will; the answers are
   * dropped.
   */
  close(toClient: Buffer | undefined, toTarget: Buffer, isLogFailed = false): void {
    const { client, target } = this.parts;
    this.over = true;
    const last = () => {
      if (client.destroyed) return;
      for (const bytes of this.held.splice(0)) client.write(bytes);
      client.end(toClient);
    };
    // A relay that ends within a read has answers whose wait has not begun.
    const logged =
      this.holding?.then(() => this.parts.written()) ??
      (this.held.length > 0 ? this.parts.written() : undefined);
    if (!toClient || isLogFailed) client.end(toClient);
    else if (logged) void logged.then(last);
    else last();
    if (!target.destroyed) target.end(toTarget);
    setTimeout(() => {
      client.destroy();
      target.destroy();
    }, CLOSE_MS).unref();
  }

  private take(chunk: Buffer): void {
    this.parts.active();
    this.forward(this.parts.fromClient(chunk)[Symbol.iterator]());
  }

  /** Sends the pieces of a chunk. Pauses the client while a piece, or the server, needs time. */
  private forward(pieces: Iterator<Outgoing>, isPaused = false): void {
    const { client } = this.parts;
    const waiting = this.sendReady(pieces);
    if (waiting) {
      if (!isPaused) client.pause();
      waiting.then(
        () => this.forward(pieces, true),
        () => this.end('client-broke'),
      );
    } else if (isPaused && !this.over) client.resume();
  }

  /** Sends pieces as one write. Returns a promise if the next one has to wait. */
  private sendReady(pieces: Iterator<Outgoing>): Promise<void> | undefined {
    const { target } = this.parts;
    target.cork();
    try {
      for (;;) {
        const piece = this.over ? undefined : pieces.next();
        if (!piece || piece.done) return undefined;
        const waiting =
          piece.value instanceof Promise
            ? piece.value.then((bytes) => this.send(bytes))
            : this.send(piece.value);
        if (waiting) return waiting;
      }
    } catch {
      this.end('client-broke');
      return undefined;
    } finally {
      target.uncork();
    }
  }

  private send(bytes: Buffer | undefined): Promise<void> | undefined {
    const { target } = this.parts;
    return !bytes || this.over || target.write(bytes) ? undefined : drained(target);
  }

  /** Keeps bytes for the client. Neighbours of one read become one piece again. */
  private hold(bytes: Buffer): void {
    this.heldBytes += bytes.length;
    const last = this.held.at(-1);
    if (last?.buffer === bytes.buffer && last.byteOffset + last.length === bytes.byteOffset)
      this.held[this.held.length - 1] = Buffer.from(
        bytes.buffer,
        last.byteOffset,
        last.length + bytes.length,
      );
    else this.held.push(bytes);
  }

  private give(chunk: Buffer): void {
    const { client, target, active, fromTarget } = this.parts;
    if (this.over) return;
    active();
    client.cork();
    try {
      for (const bytes of fromTarget(chunk)) {
        // Nothing follows the message that ended the session.
        if (this.over) break;
        this.hold(bytes);
      }
    } catch {
      this.end('target-broke');
    } finally {
      this.pass();
      client.uncork();
    }
    // Most answers wait alone: stopping and starting to read takes four system calls.
    if (this.holding && this.heldBytes > MAX_HELD) target.pause();
  }

  /** Sends held bytes once the log has the statements that they answer. */
  private pass(): void {
    const { client, target, written } = this.parts;
    if (this.holding) return;
    const waiting = written();
    if (waiting) {
      this.holding = waiting.then(() => {
        this.holding = undefined;
        if (this.over) return;
        this.pass();
        // The answers of a client that sends ahead would never stop to wait.
        if (this.holding) target.pause();
      });
      return;
    }
    this.heldBytes = 0;
    for (const bytes of this.held.splice(0)) client.write(bytes);
    if (this.over) return;
    this.parts.onPassed?.();
    if (!client.writableNeedDrain) target.resume();
    else if (!this.isDraining) {
      this.isDraining = true;
      target.pause();
      client.once('drain', () => {
        this.isDraining = false;
        this.pass();
      });
    }
  }
}

/** Settles when a stream accepts bytes again or has closed. */
function drained(stream: Duplex): Promise<void> {
  if (stream.destroyed || !stream.writableNeedDrain) return Promise.resolve();
  return new Promise((done) => {
    const settle = () => {
      stream.off('drain', settle);
      stream.off('close', settle);
      done();
    };
    stream.once('drain', settle);
    stream.once('close', settle);
  });
}
