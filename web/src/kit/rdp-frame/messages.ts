import type { Watermark } from '@sallyport/contract';

/**
 * Messages between a page and the frame of a desktop, over a port that the page passes to the
 * frame.
 */

/** Type of the first message to the frame, which carries the port. */
export const FRAME_START = 'sallyport-rdp';

/** Parameters of the frame. */
export interface FrameStart {
  readonly type: typeof FRAME_START;
  /** Size of the desktop in pixels. */
  readonly width: number;
  readonly height: number;
  /** True for recordings and shared sessions: sends no input to a server. */
  readonly isViewOnly: boolean;
  /** The name of the picture for screen readers. */
  readonly label: string;
  readonly watermark: Watermark | null;
  /** Time in the watermark. */
  readonly time: string;
}

/** A key as X keysym and position on the keyboard (UI Events KeyboardEvent code). */
export type PressedKey = readonly [keysym: number, code: string];

/** A file offered by the desktop; `\\` separates folders in its name. */
export interface FrameFile {
  readonly name: string;
  readonly size: number;
  readonly isFolder: boolean;
}

/** Requests of the page to the frame about files. */
export type FileToFrame =
  /** Requests the size or a range of a file offered by the desktop. */
  | {
      readonly type: 'read';
      readonly streamId: number;
      readonly index: number;
      readonly isSize: boolean;
      readonly position: number;
      readonly length: number;
    }
  /** Offers files of the user, and replaces earlier offers. */
  | {
      readonly type: 'offer';
      readonly files: readonly {
        readonly path: string;
        readonly size: number;
        readonly lastModified: number;
        readonly isFolder: boolean;
      }[];
    }
  /** A range that the desktop requested; null if it cannot be read. */
  | {
      readonly type: 'contents';
      readonly streamId: number;
      readonly bytes: Uint8Array<ArrayBuffer> | null;
    };

/** Messages of the frame about files. */
export type FileFromFrame =
  | { readonly type: 'offered'; readonly files: readonly FrameFile[] }
  | {
      readonly type: 'contents';
      readonly streamId: number;
      readonly bytes: Uint8Array<ArrayBuffer> | null;
    }
  /** The desktop reads a file of the user. */
  | {
      readonly type: 'asked';
      readonly streamId: number;
      readonly index: number;
      readonly isSize: boolean;
      readonly position: number;
      readonly length: number;
    }
  /** The user dropped files and folders on the desktop. */
  | {
      readonly type: 'dropped';
      readonly files: readonly { readonly path: string; readonly file: File }[];
      readonly folders: readonly string[];
    };

/** Messages of the page to the frame. */
export type ToFrame =
  | { readonly type: 'files'; readonly message: FileToFrame }
  /** Bytes of the desktop; PDUs may be split anywhere. */
  | { readonly type: 'bytes'; readonly bytes: Uint8Array<ArrayBuffer> }
  /** Presses these keys and releases them in reverse order. */
  | { readonly type: 'keys'; readonly keys: readonly PressedKey[] }
  /** A text for the clipboard of the desktop. */
  | { readonly type: 'paste'; readonly text: string }
  /** True scales the picture to the frame; false scrolls it at its own size. */
  | { readonly type: 'fit'; readonly fits: boolean }
  | { readonly type: 'focus' | 'blur' };

/** Messages of the frame to the page. */
export type FromFrame =
  | { readonly type: 'files'; readonly message: FileFromFrame }
  | { readonly type: 'bytes'; readonly bytes: Uint8Array<ArrayBuffer> }
  /** The desktop has another size. */
  | { readonly type: 'size'; readonly width: number; readonly height: number }
  /** The oldest outstanding piece has been drawn. */
  | { readonly type: 'taken' }
  /** A text copied on the desktop. */
  | { readonly type: 'text'; readonly text: string }
  /** The user releases the keyboard: Ctrl+Alt+Shift was pressed and released. */
  | { readonly type: 'leave' };
