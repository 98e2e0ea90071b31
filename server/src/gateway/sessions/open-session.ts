import { randomUUID } from 'node:crypto';
import type { SessionKind } from '@sallyport/contract';
import { targetOf } from '../ports/grant.ts';
import type { NewSession } from '../ports/records.ts';
import type { Connection } from '../protocols/connector.ts';
import { problemOf, Refusal } from '../refusal.ts';
import { type Attempt, authorize, type Dialling, dial, mayAskAgain } from './dial.ts';
import type { Session, SessionParts } from './session.ts';

/** How sessions of one kind begin. */
export interface SessionOpener<Opened extends Session> {
  readonly kind: SessionKind;
  /** The session with its recording, while nothing is open at the target. @throws Refusal */
  begin(parts: SessionParts): Promise<Opened>;
  /** Opens what people work with, and lets it flow. @throws Refusal */
  open(session: Opened, connection: Connection): Promise<void>;
}

/** Opens a session of a kind. Each attempt leaves its row, and no byte flows before the row and the recording exist. @throws Refusal */
export async function openSession<Opened extends Session>(
  dialling: Dialling,
  opener: SessionOpener<Opened>,
): Promise<Opened> {
  const authorized = await authorize(dialling, opener.kind);
  let attempt = await dial(dialling, authorized);
  for (;;) {
    try {
      return await tryOnce(dialling, attempt, opener);
    } catch (error) {
      if (!mayAskAgain(attempt, error)) throw error;
      attempt = await dial(dialling, authorized, attempt);
    }
  }
}

async function tryOnce<Opened extends Session>(
  dialling: Dialling,
  attempt: Attempt,
  opener: SessionOpener<Opened>,
): Promise<Opened> {
  const { ports, person, client, signal } = dialling;
  const { grant, secondFactor, login, connector, route, limits } = attempt;
  const row: NewSession = {
    id: randomUUID(),
    kind: opener.kind,
    person,
    grant,
    account: login.username,
    secondFactor,
    dateStart: new Date(),
  };
  await ports.sessions.create(row);
  let connection: Connection | undefined;
  let session: Opened | undefined;
  let oldAlgorithms: readonly string[] = [];
  const onOutdated = (names: readonly string[]) => {
    oldAlgorithms = names;
  };
  try {
    if ((await ports.disk.freeBytes()) < limits.diskReserveBytes)
      throw new Refusal('session_disk_full');
    try {
      connection = await connector.connect({ ...route, onOutdated }, signal);
    } finally {
      // Also where the target was only sent a password.
      if (oldAlgorithms.length > 0) await ports.sessions.setOldAlgorithms(row.id, oldAlgorithms);
    }
    client.stage('opening', grant.asset.hostname);
    session = await opener.begin({ row, ports, limits, client });
    // Files leave entries in a log, not a recording.
    if (opener.kind !== 'transfer') await ports.sessions.begun(row.id, session.takesGuests);
    signal.throwIfAborted();
    await opener.open(session, connection);
    client.opened({ id: row.id, asset: targetOf(grant).name, account: row.account, oldAlgorithms });
    return session;
  } catch (error) {
    connection?.close();
    const { code, params } = problemOf(error);
    if (code === 'internal')
      ports.log.error({ session: row.id, err: error }, 'a session could not be opened');
    if (session) {
      // It has begun to record and writes its own end.
      session.end(code, params);
      await session.ended;
    } else await finishRow(dialling, row, code);
    throw error;
  }
}

async function finishRow(
  { ports }: Dialling,
  row: NewSession,
  reason: ReturnType<typeof problemOf>['code'],
): Promise<void> {
  const replayState = reason === 'session_recording_failed' ? 'failed' : 'none';
  try {
    await ports.sessions.finish(row.id, {
      dateEnd: new Date(),
      reason,
      success: false,
      replayState,
    });
  } catch (error) {
    ports.log.error({ session: row.id, err: error }, 'the end of a session could not be written');
  }
}
