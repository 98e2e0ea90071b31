import type { Recordings } from '../../../platform/storage/recordings.ts';
import type { Connection } from '../../protocols/connector.ts';
import type { DatabaseDriver } from '../../protocols/drivers/driver.ts';
import { Refusal } from '../../refusal.ts';
import { beginRecorded } from '../begin-recorded.ts';
import type { SessionOpener } from '../open-session.ts';
import { Recorder } from '../terminal/recorder/recorder.ts';
import type { DatabaseClient, DatabaseConnection } from './database-client.ts';
import { DatabaseSession } from './database-session.ts';
import { beginReadOnly } from './read-only-mode.ts';
import { DATABASE_SCREEN } from './transcript.ts';

export interface DatabaseOpening {
  readonly client: DatabaseClient;
  readonly recordings: Recordings;
  /** Wraps the connection for the listener, before anything is sent. @throws Refusal */
  open(session: DatabaseSession, connection: Connection): Promise<DatabaseConnection>;
}

/** Opens database sessions: first the recording, then the connection for the listener. */
export function databaseOpener(opening: DatabaseOpening): SessionOpener<DatabaseSession> {
  return {
    kind: 'query',
    begin: (parts) =>
      beginRecorded(parts, opening.recordings, async (options) => {
        const recorder = await Recorder.start({ ...options, ...DATABASE_SCREEN });
        return new DatabaseSession({ ...parts, client: opening.client, recorder });
      }),
    async open(session, connection) {
      session.attach(await opening.open(session, connection));
    },
  };
}

/**
 * Opens a driver for statements that a user types here instead of in a client program. The session
 * ends with its connection. @throws Refusal
 */
export async function openDriver(
  session: DatabaseSession,
  connection: Connection,
): Promise<DatabaseDriver> {
  if (!connection.openDatabase)
    throw new Refusal('connect_protocol', { protocol: session.row.grant.systemUser.protocol });
  const driver = await connection.openDatabase((how, message) => session.targetEnded(how, message));
  await beginReadOnly(driver, session);
  return driver;
}
