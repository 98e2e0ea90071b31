/** Output that draws a whole screen. */
export interface KeyFrame<Piece> {
  readonly cols: number;
  readonly rows: number;
  readonly piece: Piece;
  /** Index of the first event that the screen does not show. */
  readonly next: number;
}

/** A recording that can be played: timed terminal output or desktop frames. */
export interface Playable<Piece> {
  readonly cols: number;
  readonly rows: number;
  /** Seconds since the start, ascending; one per event. */
  readonly times: readonly number[];
  /** Characters or bytes of each event; 0 for a change of the size. */
  readonly lengths: readonly number[];
  /** `undefined` for an event that is not in memory. */
  readonly events: readonly (
    | { readonly kind: 'output'; readonly text: Piece }
    | { readonly kind: 'resize'; readonly cols: number; readonly rows: number }
    | undefined
  )[];
  /** Reads an event into memory; returns undefined if it is in memory. */
  readonly read?: (index: number) => Promise<void> | undefined;
  /** Time of the last event in seconds. */
  readonly duration: number;
  /** False while later events are still loading. */
  readonly isComplete: boolean;
  /** Returns the last key frame that shows at most the first `until` events. */
  readonly keyFrame?: (until: number) => KeyFrame<Piece> | undefined;
  /**
   * Returns the events that show the state after the first `until` events on an empty screen, in
   * order. If undefined, the player draws all events.
   */
  readonly shortcut?: (until: number) => readonly number[];
  /**
   * Returns the events that turn the state after `from` events into that after `until`; undefined
   * if the player must start from an empty screen.
   */
  readonly across?: (from: number, until: number) => readonly number[] | undefined;
  /**
   * Returns the events from `from` to `until` whose result is still visible at the end. If
   * undefined, the player draws all events.
   */
  readonly between?: (from: number, until: number) => readonly number[];
}

/** Returns how many of the ascending times are not later than `moment`. */
export function countUntil(times: readonly number[], moment: number): number {
  let low = 0;
  let high = times.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((times[middle] ?? Number.POSITIVE_INFINITY) <= moment) low = middle + 1;
    else high = middle;
  }
  return low;
}
