import type { NewSession } from '../../ports/records.ts';
import type { Capture } from '../capture.ts';
import type { Screen } from '../session-client.ts';
import type { Recorder } from '../terminal/recorder/recorder.ts';
import { drawNoted, type NotedStatement } from './statement-record.ts';
import { DATABASE_SCREEN, RecentOutput } from './transcript.ts';

/** Statements that may wait for their drawing. */
const MAX_UNDRAWN = 64;

interface DrawingParts {
  readonly row: NewSession;
  readonly recorder: Recorder;
  readonly capture: Capture;
  /** Called with each drawn statement. */
  readonly onDrawn: (bytes: Buffer) => void;
}

/**
 * Draws statements into the recording and onto the screens of watchers, once per turn of the event
 * loop: the client gets its answer before.
 */
export class StatementDrawing {
  private readonly parts: DrawingParts;
  private readonly recent = new RecentOutput();
  private waiting: (() => void)[] = [];
  private isBehind = false;
  private isEnded = false;
  private undrawn: { readonly noted: NotedStatement; readonly at: number }[] = [];

  constructor(parts: DrawingParts) {
    this.parts = parts;
  }

  /** The drawn statements, for a new watcher. */
  get screen(): Screen {
    const snapshot = () => {
      this.draw();
      return Buffer.from(this.recent.screen);
    };
    return { size: DATABASE_SCREEN, snapshot };
  }

  /** Adds a captured statement that ended now. */
  add(noted: NotedStatement): void {
    if (this.undrawn.length === 0) setImmediate(() => this.draw());
    this.undrawn.push({ noted, at: this.parts.recorder.elapsed });
    if (this.undrawn.length >= MAX_UNDRAWN) this.draw();
  }

  /** Settles when the recording has caught up; undefined if it has. */
  ready(): Promise<void> | undefined {
    return this.isBehind ? new Promise((done) => this.waiting.push(done)) : undefined;
  }

  /** Tells that the recording has caught up, or that the session ends. */
  drained(): void {
    this.isBehind = false;
    for (const done of this.waiting.splice(0)) done();
  }

  /** True once all statements are drawn. While the session stops, statements may still end. */
  get isOver(): boolean {
    return this.isEnded;
  }

  /** Draws the last statements. */
  end(): void {
    this.isEnded = true;
    this.draw();
  }

  /** Draws all statements so far. */
  draw(): void {
    const { row, recorder, capture, onDrawn } = this.parts;
    const { database, asset } = row.grant;
    const { undrawn } = this;
    this.undrawn = [];
    for (const { noted, at } of undrawn) {
      const drawn = drawNoted(database?.name || asset.hostname, noted, row.person.language);
      const data = capture.drawn(drawn.replaceAll('\n', '\r\n'));
      this.recent.add(data);
      const bytes = Buffer.from(data);
      onDrawn(bytes);
      if (!recorder.output(bytes, at)) this.isBehind = true;
    }
  }
}
