import type { DesktopFacts, ProtocolName } from '@sallyport/contract';
import type { PictureArea } from '../../kit/desktop-recording/recorded-picture.ts';
import type { FileFromFrame, FileToFrame } from '../../kit/rdp-frame/messages.ts';
import type { Key } from './keys.ts';

/** Size of the picture: scaled to the window, actual, or the desktop resizes with the window. */
export type Fit = 'scale' | 'actual' | 'resize';
/** Preference between quality of the picture and speed. */
export type Quality = 'best' | 'balanced' | 'fast';

/**
 * Result of a text for the clipboard of the desktop: sent; sent to a server that may lose it; not
 * sent, because the server would change characters; or too long.
 */
export type PasteResult = 'sent' | 'uncertain' | 'unsupported' | 'tooLong';

/** Events of a picture. */
export interface PictureEvents {
  /** Receives the bytes of the user's input. Without this callback the picture is view-only. */
  readonly send?: (bytes: Uint8Array<ArrayBuffer>) => void;
  /** The user copied a text at the desktop. */
  readonly onCopied?: (text: string) => void;
  /** The protocol reports offered or requested files. */
  readonly onFile?: (message: FileFromFrame) => void;
  /** The user asks to return the keyboard to the page. */
  readonly onLeave?: () => void;
}

/** Shows a desktop of any protocol in an element. */
export interface Picture {
  /** Receives bytes of the desktop; calls `taken` once it has released them. */
  receive(bytes: Uint8Array, taken?: () => void): void;
  /** Moves the keyboard focus to the desktop. */
  focus(): void;
  /** Removes the keyboard focus and releases held keys at the desktop. */
  release(): void;
  /** Presses keys together at the desktop, then releases them. */
  press(keys: readonly Key[]): void;
  /** Puts a text into the clipboard of the desktop. Returns the result. */
  paste(text: string): PasteResult;
  /** Sends a message about files, if the protocol transfers files. */
  files?(message: FileToFrame): void;
  setFit(fit: Fit): void;
  setQuality(quality: Quality): void;
  /** Returns the area of the desktop's pixels, or null before the first frame. */
  area(): PictureArea | null;
  /** Removes the picture. */
  end(): void;
}

/** Returns the abilities of a desktop. RDP servers keep their colors, and many their size. */
export function abilitiesOf(
  protocol: ProtocolName,
  isResizable: boolean,
): {
  readonly fits: readonly Fit[];
  readonly qualities: readonly Quality[];
} {
  if (protocol === 'rdp')
    return {
      fits: isResizable ? ['scale', 'actual', 'resize'] : ['scale', 'actual'],
      qualities: [],
    };
  return { fits: ['scale', 'actual', 'resize'], qualities: ['best', 'balanced', 'fast'] };
}

/** Creates the picture of a desktop in an element. */
export type PictureMaker = (
  target: HTMLElement,
  facts: DesktopFacts,
  events: PictureEvents,
) => Picture;
