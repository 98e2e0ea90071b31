import type { Charset, Language, Problem } from '@sallyport/contract';
import type { FileTransfers } from '../../file-transfers.ts';
import type { Operation, Transfer } from './transfer.ts';

/** Rights, log and connections of the transfers of a session. */
export interface ZmodemParts {
  readonly language: Language;
  readonly charset: Charset;
  readonly log: FileTransfers;
  /** Returns the reason for which files may not pass; undefined if they may. */
  readonly refusal: (operation: Operation) => Problem | undefined;
  readonly toTarget: (bytes: Buffer) => void;
  /** The client gets frames apart from text, and shows no text from an offer on. */
  readonly isSeparate: boolean;
  /** Sends frames to the user only. */
  readonly toClient: (bytes: Buffer) => void;
  /** Passes output that is text. */
  readonly text: (output: Buffer) => void;
  /** Records text that the user has already seen. */
  readonly seenText: (output: Buffer) => void;
  /** Passes input that is typed. */
  readonly keys: (input: Buffer) => void;
  /** Shows a line of ours. */
  readonly show: (line: string) => void;
  /** Files begin or end to pass. */
  readonly changed: (isPassing: boolean) => void;
}

/** A transfer that a program at the target has offered. */
export interface Offer {
  readonly transfer: Transfer;
  /** Target output that the client has got. */
  seen: Buffer[];
  seenBytes: number;
  /** Client input that may be typed. */
  input: Buffer;
  isPastGreeting: boolean;
}
