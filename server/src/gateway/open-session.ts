import { randomUUID } from 'node:crypto';
import type { SshConnection } from './connectors/ssh.ts';
import { type Attempt, type Dialling, dial } from './dial.ts';
import { LiveSession } from './live-session.ts';
import type { NewSession } from './ports.ts';
import { Recorder } from './recorder/recorder.ts';
import { problemOf, Refusal } from './refusal.ts';

/** What is needed to open sessions. */
export interface Opening extends Dialling {
  readonly recordingsDirectory: string;
}

/** Opens a session; each try leaves its row, and no byte flows before the row and the recording exist. */
export async function openSession(opening: Opening): Promise<LiveSession> {
  return dial(opening, (attempt) => tryOnce(opening, attempt));
}

async function tryOnce(opening: Opening, attempt: Attempt): Promise<LiveSession> {
  const { ports, person } = opening;
  const row: NewSession = { id: randomUUID(), person, grant: attempt.grant, account: attempt.login.username, dateStart: new Date() };
  await ports.sessions.create(row);
  let connection: SshConnection | undefined;
  try {
    connection = await attempt.connect();
    return await openShell(opening, attempt, row, connection);
  } catch (error) {
    connection?.close();
    const { code } = problemOf(error);
    if (code === 'internal') ports.log.error({ session: row.id, err: error }, 'a session could not be opened');
    // A session that had begun to record writes its own end.
    if (!(error instanceof BegunAndFailed)) await finishRow(opening, row, code, code === 'session_recording_failed' ? 'failed' : 'none');
    throw error instanceof BegunAndFailed ? error.reason : error;
  }
}

async function openShell(opening: Opening, attempt: Attempt, row: NewSession, connection: SshConnection): Promise<LiveSession> {
  const { ports, near, request } = opening;
  near.stage('opening', attempt.grant.asset.hostname);
  let session: LiveSession | undefined;
  const recorder = await startRecorder(
    opening,
    row,
    () => session?.end('session_recording_failed'),
    () => session?.recorderDrained(),
  );
  const live = new LiveSession({ row, ports, limits: attempt.limits, near, recorder, cols: request.cols, rows: request.rows });
  session = live;
  try {
    await ports.sessions.setReplay(row.id, 'recording');
    opening.signal.throwIfAborted();
    const shell = await connection.openShell(request, {
      onData: (chunk) => live.fromTarget(chunk),
      onEnd: (how) => live.targetEnded(how),
    });
    live.attach(shell);
    near.opened({ id: row.id, asset: row.grant.asset.hostname, account: row.account });
    return live;
  } catch (error) {
    const { code, params } = problemOf(error);
    live.end(code, params);
    await live.ended;
    throw new BegunAndFailed(error);
  }
}

async function startRecorder(opening: Opening, row: NewSession, onFailure: () => void, onDrain: () => void): Promise<Recorder> {
  const { ports, request, recordingsDirectory } = opening;
  try {
    return await Recorder.start({
      directory: recordingsDirectory,
      sessionId: row.id,
      startedAt: row.dateStart,
      title: `${row.account}@${row.grant.asset.hostname}`,
      cols: request.cols,
      rows: request.rows,
      onFailure: (error) => {
        ports.log.error({ session: row.id, err: error }, 'a recording could not be written; the session ends');
        onFailure();
      },
      onDrain,
    });
  } catch (error) {
    ports.log.error({ session: row.id, err: error }, 'a recording could not be created; the session is refused');
    throw new Refusal('session_recording_failed');
  }
}

async function finishRow(opening: Opening, row: NewSession, reason: ReturnType<typeof problemOf>['code'], replayState: 'none' | 'failed'): Promise<void> {
  try {
    await opening.ports.sessions.finish(row.id, { dateEnd: new Date(), reason, success: false, replayState });
  } catch (error) {
    opening.ports.log.error({ session: row.id, err: error }, 'the end of a session could not be written');
  }
}

class BegunAndFailed extends Error {
  readonly reason: unknown;

  constructor(reason: unknown) {
    super('the session had begun to record');
    this.reason = reason;
  }
}
