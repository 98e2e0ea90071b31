import type { ProtocolName } from './protocols.ts';

/** The largest side of a desktop, in pixels, and the most pixels of one: a screen of 8K. */
export const MAX_DESKTOP_SIDE = 16_384;
export const MAX_DESKTOP_PIXELS = 7680 * 4320;

/** What a page has to know of a desktop before its first frame. */
export interface DesktopFacts {
  readonly protocol: ProtocolName;
  /** Pixels. */
  readonly width: number;
  readonly height: number;
  readonly name: string;
}

/** Which files may pass: into the desktop (`upload`), and out of it (`download`). */
export interface FileRights {
  readonly upload: boolean;
  readonly download: boolean;
}

/** Files of one list on the clipboard of a desktop, and bytes of a file that passes. */
export const MAX_DESKTOP_FILES = 1000;
export const MAX_DESKTOP_FILE = 2 * 1024 * 1024 * 1024 - 1;

/** Which texts may pass: out of the desktop (`copy`), and into it (`paste`). */
export interface ClipboardRights {
  readonly copy: boolean;
  readonly paste: boolean;
}
