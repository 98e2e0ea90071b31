import type { ProtocolName } from './protocols.ts';

/** Maximum side in pixels and maximum pixels of a desktop: an 8K screen. */
export const MAX_DESKTOP_SIDE = 16_384;
export const MAX_DESKTOP_PIXELS = 7680 * 4320;

/** Facts that a page needs before the first frame. */
export interface DesktopFacts {
  readonly protocol: ProtocolName;
  readonly width: number;
  readonly height: number;
  readonly name: string;
}

/** Allowed file directions: into the desktop (`upload`) and out of it (`download`). */
export interface FileRights {
  readonly upload: boolean;
  readonly download: boolean;
}

/** Maximum files on a desktop's clipboard, and maximum bytes of a file. */
export const MAX_DESKTOP_FILES = 1000;
export const MAX_DESKTOP_FILE = 2 * 1024 * 1024 * 1024 - 1;

/** Allowed text directions: out of the desktop (`copy`) and into it (`paste`). */
export interface ClipboardRights {
  readonly copy: boolean;
  readonly paste: boolean;
}
