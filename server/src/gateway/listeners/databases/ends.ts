import type { Duplex } from 'node:stream';
import { drained } from './drained.ts';

/** How long a side that was asked to close may take. */
const CLOSE_MS = 2000;

/** How a relay came to its end; a side broke when it sent what the protocol does not allow. `character-set`: the server reads texts in another one than we do. */
export type RelayEnd = 'client' | 'target' | 'client-broke' | 'target-broke' | 'character-set';

/** What flows between both ends of a relay. */
export interface EndsParts {
  readonly client: Duplex;
  readonly target: Duplex;
  /** What goes to the server of a client's bytes, in order; the client is not read meanwhile. @throws ProtocolViolation */
  readonly fromClient: (chunk: Buffer) => AsyncIterable<Buffer>;
  /** What goes to the client of a server's bytes. @throws ProtocolViolation */
  readonly fromTarget: (chunk: Buffer) => Iterable<Buffer>;
  /** Settles when the log has what the bytes so far say; undefined where it has. The client gets nothing before. */
  readonly written: () => Promise<unknown> | undefined;
  /** Bytes came: the session is not idle. */
  readonly active: () => void;
  /** Called once: how it came to its end. */
  readonly onEnd: (how: RelayEnd) => void;
}

/** Both connections of a relay: reads them, holds each back while the other is full, and ends them. */
export class Ends {
  private readonly parts: EndsParts;
  private over = false;
  /** What waits for the log, and the end of the waiting. */
  private held: Buffer[] = [];
  private holding: Promise<void> | undefined;
  private isDraining = false;

  constructor(parts: EndsParts) {
    this.parts = parts;
  }

  /** Whether nothing is carried any more. */
  get isOver(): boolean {
    return this.over;
  }

  /** Begins to carry; `already` came of the server before. */
  start(already: Buffer = Buffer.alloc(0)): void {
    const { client, target } = this.parts;
    client.on('data', (chunk: Buffer) => void this.take(chunk));
    target.on('data', (chunk: Buffer) => this.give(chunk));
    for (const event of ['end', 'close', 'error']) {
      client.on(event, () => this.end('client'));
      target.on(event, () => this.end('target'));
    }
    if (already.length > 0) this.give(already);
    client.resume();
    if (!this.over) target.resume();
  }

  /** Sends bytes of ours to the client, behind what waits for the log. */
  toClient(bytes: Buffer): void {
    this.held.push(bytes);
    this.pass();
  }

  /** Nothing is carried any more. */
  end(how: RelayEnd): void {
    if (this.over) return;
    if (how === 'target' && this.holding) {
      // The client gets the last words of the server first.
      void this.holding.then(() => this.end(how));
      return;
    }
    this.over = true;
    this.parts.onEnd(how);
  }

  /** Closes both connections, behind the last words for each. */
  close(toClient: Buffer | undefined, toTarget: Buffer): void {
    const { client, target } = this.parts;
    this.over = true;
    // Behind an answer that is not in the log nothing can be said.
    if (toClient && !this.holding && !client.destroyed) client.end(toClient);
    else client.end();
    if (!target.destroyed) target.end(toTarget);
    setTimeout(() => {
      client.destroy();
      target.destroy();
    }, CLOSE_MS).unref();
  }

  private async take(chunk: Buffer): Promise<void> {
    const { client, target, active, fromClient } = this.parts;
    client.pause();
    active();
    try {
      for await (const bytes of fromClient(chunk)) {
        if (this.over) return;
        if (!target.write(bytes)) await drained(target);
      }
      if (!this.over) client.resume();
    } catch {
      this.end('client-broke');
    }
  }

  private give(chunk: Buffer): void {
    const { client, target, active, fromTarget } = this.parts;
    if (this.over) return;
    active();
    client.cork();
    try {
      for (const bytes of fromTarget(chunk)) this.held.push(bytes);
    } catch {
      this.end('target-broke');
    } finally {
      this.pass();
      client.uncork();
    }
    if (this.holding) target.pause();
  }

  /** Sends what is held, as soon as the log has the statements that it answers. */
  private pass(): void {
    const { client, target, written } = this.parts;
    if (this.holding) return;
    const waiting = written();
    if (waiting) {
      this.holding = waiting.then(() => {
        this.holding = undefined;
        if (!this.over) this.pass();
      });
      return;
    }
    for (const bytes of this.held.splice(0)) client.write(bytes);
    if (this.over) return;
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
