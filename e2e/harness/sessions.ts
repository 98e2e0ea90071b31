import type { Client } from '../../server/src/testing/client.ts';
import { until } from '../../server/src/testing/poll.ts';

interface SessionRow {
  readonly id: string;
  readonly is_finished: boolean;
  readonly can_replay: boolean;
}

/** Sessions by a filter of their list, the newest first. */
async function sessionsOf(admin: Client, filter: string): Promise<readonly SessionRow[]> {
  return (
    await admin.get<{ results: readonly SessionRow[] }>(`terminal/sessions/?limit=20&${filter}`)
  ).body.results;
}

/**
 * Waits until exactly one of the sessions runs, and returns its id. The server records the end of
 * the others shortly after their users see it.
 */
export async function liveSession(admin: Client, filter: string): Promise<string> {
  let live: readonly SessionRow[] = [];
  const isAlone = async () => {
    live = (await sessionsOf(admin, filter)).filter((row) => !row.is_finished);
    return live.length === 1;
  };
  await until(isAlone, 'one session runs');
  return live[0]?.id ?? '';
}

/**
 * Waits until all of the sessions have ended and can be replayed. Returns the id of the newest. The
 * server stores commands, recording and row shortly after the users see the end.
 */
export async function recordedSession(admin: Client, filter: string): Promise<string> {
  let rows: readonly SessionRow[] = [];
  const isWritten = async () => {
    rows = await sessionsOf(admin, filter);
    return rows.length > 0 && rows.every((row) => row.is_finished && row.can_replay);
  };
  await until(isWritten, 'the sessions have ended and can be replayed');
  return rows[0]?.id ?? '';
}
