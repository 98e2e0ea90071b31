/** What can be played: pieces of text of a terminal, or of a desktop's frames, each with its time. */
export interface Playable<Piece> {
  readonly cols: number;
  readonly rows: number;
  /** Seconds since the beginning, ascending; one for each event. */
  readonly times: readonly number[];
  readonly events: readonly (
    | { readonly kind: 'output'; readonly text: Piece }
    | { readonly kind: 'resize'; readonly cols: number; readonly rows: number }
  )[];
  /** Seconds of the last event. */
  readonly duration: number;
  /** The events that show on an empty screen what all of the first `until` do, in their order; without it, all of them are drawn. */
  readonly shortcut?: (until: number) => readonly number[];
  /** The events that make what the first `from` have drawn into what the first `until` do; undefined where that needs an empty screen. */
  readonly across?: (from: number, until: number) => readonly number[] | undefined;
  /** The events between two places that are still to be seen at the second one, when they are drawn on what the first `from` have drawn; without it, all of them are drawn. */
  readonly between?: (from: number, until: number) => readonly number[];
}
