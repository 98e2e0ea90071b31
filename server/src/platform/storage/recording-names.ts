import type { RecordedSession, RecordingKind } from './recording-types.ts';
import { StorageError } from './storage.ts';

const NAME =
  /^(\d{4}-\d{2}-\d{2})\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.(cast|desktop)(\.gz|\.z)?$/;
/** File name extensions per kind: while running, and the suffix of a finished recording. */
const ENDINGS = {
  terminal: { running: 'cast', finished: '.gz' },
  desktop: { running: 'desktop', finished: '.z' },
} as const;
export const RECORDING_KINDS = ['terminal', 'desktop'] as const satisfies readonly RecordingKind[];

/**
 * Returns the key of a running recording. Keys start with the day of the session (UTC), which
 * bounds the size of folders.
 * @throws StorageError if the id is not a session id
 */
export function runningKey(
  { id, startedAt }: RecordedSession,
  kind: RecordingKind = 'terminal',
): string {
  const key = `${startedAt.toISOString().slice(0, 10)}/${id}.${ENDINGS[kind].running}`;
  if (!nameOf(key)) throw new StorageError('invalid_key', 'a recording needs the id of a session');
  return key;
}

/** Returns the key of a finished recording. */
export const finishedKey = (key: string) =>
  `${key}${ENDINGS[nameOf(key)?.kind ?? 'terminal'].finished}`;

/** Returns the possible keys of a session's finished recording; at most one of them exists. */
export const finishedKeys = (session: RecordedSession) =>
  RECORDING_KINDS.map((kind) => finishedKey(runningKey(session, kind)));

/** Parses the key of a recording; undefined for other keys. */
export function nameOf(key: string):
  | {
      readonly day: string;
      readonly sessionId: string;
      readonly kind: RecordingKind;
      readonly isFinished: boolean;
    }
  | undefined {
  const [, day, sessionId, running, added] = NAME.exec(key) ?? [];
  const kind = RECORDING_KINDS.find((one) => ENDINGS[one].running === running);
  if (day === undefined || sessionId === undefined || !kind) return undefined;
  if (added !== undefined && added !== ENDINGS[kind].finished) return undefined;
  return { day, sessionId, kind, isFinished: added !== undefined };
}
