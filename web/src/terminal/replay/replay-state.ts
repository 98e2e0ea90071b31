/** The screen of a replay. `write` calls back once the pieces are visible. */
export interface ReplayScreen<Piece> {
  reset(cols: number, rows: number): void;
  resize(cols: number, rows: number): void;
  write(pieces: readonly Piece[], done: () => void): void;
}

/** Calls back before the next frame, with the time in milliseconds. */
export type NextFrame = (callback: (now: number) => void) => void;

export interface ReplayState {
  readonly playing: boolean;
  /** True while a seek is being drawn or waits for its moment to load. */
  readonly seeking: boolean;
  /** True while later events are still loading. */
  readonly loading: boolean;
  /** Seconds of playing time. */
  readonly position: number;
  readonly duration: number;
  readonly speed: number;
  readonly skipIdle: boolean;
}
