import type {
  ClipboardRights,
  DesktopFacts,
  DriveStateMessage,
  FileRights,
} from '@sallyport/contract';
import type { Refusal } from '../../refusal.ts';
import type { SessionClient } from '../session-client.ts';
import type { DriveAnswer } from './drive/desktop-drive.ts';

export interface DesktopSessionClient extends SessionClient {
  /** Opens the desktop with this size; frames follow. */
  desktop(facts: DesktopFacts, areKeysRecorded: boolean): void;
  /** Sets the allowed directions of clipboard text. */
  clipboard(rights: ClipboardRights): void;
  /** Sets the allowed directions of files. Not called if the target supports none. */
  files(rights: FileRights): void;
  /** The target can change the size of its desktop. */
  resizable(): void;
  /** The desktop shows its drive, or rights or contents of the drive have changed. */
  driveState(state: Omit<DriveStateMessage, 'type'>): void;
  /** Answers a request for the drive. Settles when the page can read the answer, or has gone. */
  driveAnswer(id: number, answer: DriveAnswer | Refusal): Promise<void>;
  /** Sends bytes. The client acknowledges them to the session once the page has processed them. */
  output(bytes: Buffer): void;
  /** Pauses or resumes reading from the user. */
  holdInput(on: boolean): void;
}
