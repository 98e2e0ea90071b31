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

/** A file that the desktop offers; `\\` is between its folders and its name. */
export interface FrameFile {
  readonly name: string;
  readonly size: number;
  readonly isFolder: boolean;
}

/** What a page asks the frame about files. */
export type FileToFrame =
  /** The size of a file that the desktop offers, or a piece of it. */
  | {
      readonly type: 'read';
      readonly streamId: number;
      readonly index: number;
      readonly isSize: boolean;
      readonly position: number;
      readonly length: number;
    }
  /** Files of the person, in place of those before. */
  | {
      readonly type: 'offer';
      readonly files: readonly {
        readonly path: string;
        readonly size: number;
        readonly lastModified: number;
        readonly isFolder: boolean;
      }[];
    }
  /** A piece that the desktop asked for; null where it cannot be read. */
  | {
      readonly type: 'contents';
      readonly streamId: number;
      readonly bytes: Uint8Array<ArrayBuffer> | null;
    };

/** What the frame says of files. */
export type FileFromFrame =
  | { readonly type: 'offered'; readonly files: readonly FrameFile[] }
  | {
      readonly type: 'contents';
      readonly streamId: number;
      readonly bytes: Uint8Array<ArrayBuffer> | null;
    }
  /** The desktop reads a file of the person. */
  | {
      readonly type: 'asked';
      readonly streamId: number;
      readonly index: number;
      readonly isSize: boolean;
      readonly position: number;
      readonly length: number;
    }
  /** Files and folders were dropped on the desktop. */
  | {
      readonly type: 'dropped';
      readonly files: readonly { readonly path: string; readonly file: File }[];
      readonly folders: readonly string[];
    };

/** What a page tells the frame. */
export type ToFrame =
  | { readonly type: 'files'; readonly message: FileToFrame }
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
  | { readonly type: 'files'; readonly message: FileFromFrame }
  | { readonly type: 'bytes'; readonly bytes: Uint8Array<ArrayBuffer> }
  /** The first piece that was not drawn yet is drawn. */
  | { readonly type: 'taken' }
  /** A text that was copied on the desktop. */
  | { readonly type: 'text'; readonly text: string }
  /** The person wants the keyboard back: Ctrl+Alt+Shift was pressed and let go. */
  | { readonly type: 'leave' };
