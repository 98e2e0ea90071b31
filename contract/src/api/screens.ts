/** Maximum characters of a phrase. */
export const SCREEN_PHRASE_MOST = 200;

/** A line that a recorded session showed. */
export interface ScreenMatch {
  readonly session: string;
  readonly user: string;
  readonly asset: string;
  readonly system_user: string;
  readonly date_start: string;
  /** Second of the recording at which the line was first visible. */
  readonly at: number;
  readonly text: string;
}

/**
 * GET terminal/screen-search/?q=&older=: lines that contain a phrase, of the newest sessions first.
 * The server compares a limited amount of text for an answer: it may have no lines and a next page.
 */
export interface ScreenMatches {
  readonly matches: readonly ScreenMatch[];
  /** True if more lines match or older sessions were not compared. */
  readonly is_more: boolean;
  /** Parameter `older` of the next page; null after the oldest session. */
  readonly older: string | null;
  /** The setting: sessions that end now are indexed, encrypted ones only with `all`. */
  readonly indexing: 'off' | 'plain' | 'all';
}
