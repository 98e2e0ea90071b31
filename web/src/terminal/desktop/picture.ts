import type { DesktopFacts, ProtocolName } from '@sallyport/contract';
import type { PictureArea } from '../../kit/desktop-recording/picture-area.ts';
import type { FileFromFrame, FileToFrame } from '../../kit/rdp-frame/messages.ts';
import type { Key } from './keys.ts';

/** Size of the picture: scaled to the window, actual, or the desktop resizes with the window. */
export type Fit = 'scale' | 'actual' | 'resize';
/** Preference between quality of the picture and speed. */
export type Quality = 'best' | 'balanced' | 'fast';

/** Events of a picture. */
export interface PictureEvents {
  /** Takes the bytes of the person; without it, the picture is only looked at. */
  readonly send?: (bytes: Uint8Array<ArrayBuffer>) => void;
  /** A text was copied at the desktop. */
  readonly onCopied?: (text: string) => void;
  /** Something became of files. */
  readonly onFile?: (message: FileFromFrame) => void;
  /** The person wants the keyboard back. */
  readonly onLeave?: () => void;
}

/** Something that shows a desktop in an element, whatever its protocol. */
export interface Picture {
  /** Takes bytes of the desktop; `taken` is called when they are not held here any more. */
  receive(bytes: Uint8Array, taken?: () => void): void;
  /** Gives the keyboard to the desktop. */
  focus(): void;
  /** Takes the keyboard back; keys that are held down are let go at the desktop. */
  release(): void;
  /** Presses keys at the desktop together, and lets them go. */
  press(keys: readonly Key[]): void;
  /** Gives the desktop a text to paste. */
  paste(text: string): void;
  /** Asks for something about files, where the protocol passes them. */
  files?(message: FileToFrame): void;
  setFit(fit: Fit): void;
  setQuality(quality: Quality): void;
  /** Returns the area of the desktop's pixels, or null before the first frame. */
  area(): PictureArea | null;
  /** Removes the picture. */
  end(): void;
}

/** Returns the abilities of a protocol. RDP servers keep their initial size and colors. */
export function abilitiesOf(protocol: ProtocolName): {
  readonly fits: readonly Fit[];
  readonly qualities: readonly Quality[];
} {
  if (protocol === 'rdp') return { fits: ['scale', 'actual'], qualities: [] };
  return { fits: ['scale', 'actual', 'resize'], qualities: ['best', 'balanced', 'fast'] };
}

/** Makes a picture of a desktop in an element. */
export type PictureMaker = (
  target: HTMLElement,
  facts: DesktopFacts,
  events: PictureEvents,
) => Picture;
