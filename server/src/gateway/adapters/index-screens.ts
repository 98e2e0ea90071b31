import { createGunzip } from 'node:zlib';
import type { SharedRecordings, UnindexedSession } from '../../features/sessions/index.ts';
import {
  forgetScreens,
  indexScreens,
  leaveScreens,
  RecordingAway,
  unindexedSessions,
} from '../../features/sessions/index.ts';
import type { Db } from '../../platform/db/database.ts';
import { defineHousekeeping, type JobDefinition } from '../../platform/jobs/definition.ts';
import type { Logger } from '../../platform/log.ts';
import type { SettingsService } from '../../platform/settings/service.ts';
import { awayProblemOf } from '../../platform/storage/recordings.ts';
import { screenTextOf } from '../recorder/screen-text.ts';

/** Sessions of one reading, and milliseconds after which a run begins no other session. */
const BATCH = 20;
const MAX_MS = 40_000;

interface IndexOptions {
  readonly db: Db;
  readonly log: Logger;
  readonly settings: Pick<SettingsService, 'get'>;
  readonly recordings: SharedRecordings;
  readonly stopping: AbortSignal;
}

/** Reads the text of a session's recording, unless it is sealed and may not be. */
async function indexSession(
  { db, recordings, settings, stopping }: IndexOptions,
  session: UnindexedSession,
): Promise<void> {
  const recording = await recordings.open(session);
  if (!recording) return leaveScreens(db, session, 'missing');
  const { stream, isSealed } = recording;
  if (isSealed && settings.get('TERMINAL_RECORDING_INDEX') !== 'all') {
    stream.destroy();
    return leaveScreens(db, session, 'sealed');
  }
  const plain = createGunzip();
  stream.on('error', (error) => plain.destroy(error));
  stream.pipe(plain).setEncoding('utf8');
  try {
    const text = await screenTextOf(plain, stopping);
    await indexScreens(db, session, { ...text, isSealed: isSealed ?? false });
  } finally {
    stream.destroy();
    plain.destroy();
  }
}

/**
 * Indexes the text of ended sessions, one session at a time. Deletes the text that the setting no
 * longer allows.
 */
export function createScreenJob(options: IndexOptions): JobDefinition<void> {
  const { db, settings, stopping } = options;
  return defineHousekeeping({
    name: 'index-screens',
    title: { en: 'Index screens', zh: '索引屏幕内容' },
    everyMinutes: 1,
    timeoutSeconds: 900,
    async run() {
      const since = performance.now();
      const mode = () => settings.get('TERMINAL_RECORDING_INDEX');
      if (mode() !== 'all') await forgetScreens(db, mode() === 'off' ? 'all' : 'sealed');
      while (mode() !== 'off') {
        const sessions = await unindexedSessions(db, { sealed: mode() === 'all', limit: BATCH });
        for (const session of sessions) {
          if (stopping.aborted || performance.now() - since > MAX_MS) return;
          await indexOrLeave(options, session);
        }
        if (sessions.length < BATCH) return;
      }
    },
  });
}

/** Indexes a session, or records why not. */
async function indexOrLeave(options: IndexOptions, session: UnindexedSession): Promise<void> {
  const { db, log, stopping } = options;
  try {
    await indexSession(options, session);
  } catch (error) {
    if (stopping.aborted) return;
    const isAway = error instanceof RecordingAway || awayProblemOf(error);
    await leaveScreens(db, session, isAway ? 'away' : 'unreadable');
    log.warn(
      { session: session.id, error: String(error) },
      'the text of a recording could not be read',
    );
  }
}
