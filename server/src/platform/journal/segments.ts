import type { Positions } from './journal-types.ts';
import type { Segment } from './writer.ts';

/** The newest delivered place, as a file of the journal keeps it over a restart. */
export interface DeliveredPlace {
  readonly segment: string;
  readonly position: number;
}

/** A segment on its way to the destination. */
interface Queued {
  readonly segment: Segment;
  /** The next byte to deliver. */
  position: number;
  /** Bytes that the destination has acknowledged at some time. */
  delivered: number;
  /** Bytes that existed when the destination was last compared. */
  compared: number;
  /** Moment of `performance.now()` when all bytes were delivered. */
  deliveredAt: number;
}

/** The segments of a journal, oldest first: those to deliver, and those kept for a while. */
export class SegmentQueue {
  private readonly all: Queued[];
  /** Moment of `performance.now()` when a segment was last deleted before its time. */
  private cutAt = Number.NEGATIVE_INFINITY;

  constructor(segments: readonly Segment[], known: DeliveredPlace | undefined) {
    this.all = segments.map((segment) => queuedOf(segment));
    for (const one of this.all) {
      const { name, size } = one.segment;
      if (known && name < known.segment) one.delivered = size;
      else if (name === known?.segment) one.delivered = Math.min(known.position, size);
    }
  }

  add(segment: Segment): void {
    this.all.push(queuedOf(segment));
  }

  get last(): Segment | undefined {
    return this.all.at(-1)?.segment;
  }

  get names(): readonly string[] {
    return this.all.map(({ segment }) => segment.name);
  }

  /** Bytes to deliver. */
  get pending(): number {
    return this.all.reduce((sum, { segment, position }) => sum + segment.size - position, 0);
  }

  /** Bytes that were never delivered. */
  get undelivered(): number {
    return this.all.reduce(
      (sum, { segment, delivered }) => sum + Math.max(0, segment.size - delivered),
      0,
    );
  }

  /** The next bytes to deliver. `isAgain`: the destination may have some of them. */
  next(): { segment: Segment; position: number; isAgain: boolean } | undefined {
    const queued = this.all.find(({ segment, position }) => position < segment.size);
    return (
      queued && {
        segment: queued.segment,
        position: queued.position,
        isAgain: queued.position < queued.compared,
      }
    );
  }

  /** Notes that a segment was delivered up to a position. */
  moved(name: string, position: number): void {
    const one = this.all.find(({ segment }) => segment.name === name);
    if (!one) return;
    one.position = position;
    one.delivered = Math.max(one.delivered, position);
    one.deliveredAt = performance.now();
  }

  /** Returns true if everything up to a position of a segment was delivered. */
  hasDelivered(name: string, end: number): boolean {
    return this.all.every(
      ({ segment, position }) =>
        segment.name > name || position >= (segment.name === name ? end : segment.size),
    );
  }

  /**
   * Continues at the positions of the destination. Returns the number of bytes that it had
   * acknowledged and does not have.
   */
  placeAt(stored: Positions): number {
    let lost = 0;
    for (const one of this.all) {
      const { name, size } = one.segment;
      one.position = Math.min(stored.get(name) ?? 0, size);
      one.compared = size;
      lost += Math.max(0, one.delivered - one.position);
    }
    return lost;
  }

  /** Continues after what was delivered, whatever the destination has. Returns the positions. */
  placeAfterDelivered(): Positions {
    for (const one of this.all) {
      one.position = Math.min(one.delivered, one.segment.size);
      one.compared = one.segment.size;
    }
    return new Map(this.all.map(({ segment, position }) => [segment.name, position]));
  }

  /** The newest delivered place. */
  get delivered(): DeliveredPlace | undefined {
    const one = this.all.findLast(({ delivered }) => delivered > 0);
    return one && { segment: one.segment.name, position: one.delivered };
  }

  /** Returns true if no segment of the last `milliseconds` was deleted before its time. */
  hasAllOf(milliseconds: number): boolean {
    return performance.now() - this.cutAt > milliseconds;
  }

  /**
   * Removes and returns the names of delivered segments: the oldest ones beyond `bytes`, and those
   * that were delivered `milliseconds` ago.
   */
  removeOld(milliseconds: number, bytes: number): readonly string[] {
    const removed: string[] = [];
    const now = performance.now();
    for (let kept = this.all.reduce((sum, { segment }) => sum + segment.size, 0); ; ) {
      const [one] = this.all;
      if (!one?.segment.isClosed || one.position < one.segment.size) break;
      const isEarly = now - one.deliveredAt < milliseconds;
      if (kept <= bytes && isEarly) break;
      if (isEarly) this.cutAt = now;
      this.all.shift();
      kept -= one.segment.size;
      removed.push(one.segment.name);
    }
    return removed;
  }
}

const queuedOf = (segment: Segment): Queued => ({
  segment,
  position: 0,
  delivered: 0,
  compared: 0,
  deliveredAt: performance.now(),
});
