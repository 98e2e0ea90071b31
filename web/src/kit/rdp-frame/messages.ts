/** What a page and the frame of a desktop say to each other, over a port that the page gives the frame. */

/** The first message to the frame, with its port. */
export const FRAME_START = 'sallyport-rdp';

/** How the frame begins. */
export interface FrameStart {
  readonly type: typeof FRAME_START;
  /** Pixels of the desktop. */
  readonly width: number;
  readonly height: number;
  /** What it shows was recorded, or is another person's: nothing is sent to a server. */
  readonly isViewOnly: boolean;
  /** The name of the picture for screen readers. */
  readonly label: string;
}

/** A key by its X keysym and its place on a keyboard (UI Events KeyboardEvent code). */
export type PressedKey = readonly [keysym: number, code: string];

/** What a page tells the frame. */
export type ToFrame =
  /** Bytes of the desktop; PDUs may be cut anywhere. */
  | { readonly type: 'bytes'; readonly bytes: Uint8Array<ArrayBuffer> }
  /** Presses these keys and lets them go in reverse. */
  | { readonly type: 'keys'; readonly keys: readonly PressedKey[] }
  /** A text for the clipboard of the desktop. */
  | { readonly type: 'paste'; readonly text: string }
  /** Whether the picture fits the frame, or has its own size and scrolls. */
  | { readonly type: 'fit'; readonly fits: boolean }
  | { readonly type: 'focus' | 'blur' };

/** What the frame tells the page. */
export type FromFrame =
  | { readonly type: 'bytes'; readonly bytes: Uint8Array<ArrayBuffer> }
  /** The first piece that was not drawn yet is drawn. */
  | { readonly type: 'taken' }
  /** A text that was copied on the desktop. */
  | { readonly type: 'text'; readonly text: string }
  /** The person wants the keyboard back: Ctrl+Alt+Shift was pressed and let go. */
  | { readonly type: 'leave' };
