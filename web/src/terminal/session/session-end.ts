import type { LocalText } from '@sallyport/contract';

/** Tone of an end: calm if ordinary, warning if the user can fix it, danger if it needs care. */
export type EndTone = 'calm' | 'warning' | 'danger';

export type EndIcon =
  | 'finished'
  | 'server'
  | 'lock'
  | 'clock'
  | 'idle'
  | 'fingerprint'
  | 'hand'
  | 'line'
  | 'shield'
  | 'alert';

export interface SessionEnd {
  readonly tone: EndTone;
  readonly icon: EndIcon;
  readonly title: LocalText;
  readonly hint?: LocalText;
  /** Hides the server's sentence, which repeats the title. */
  readonly isWholeStory?: boolean;
  /** An administrator can help; the notice names the administrators. */
  readonly hasAdministratorHint?: boolean;
}
