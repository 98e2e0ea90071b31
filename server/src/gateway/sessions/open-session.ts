import { randomUUID } from 'node:crypto';
import type { SessionKind } from '@sallyport/contract';
import { databaseClock } from '../../platform/clock.ts';
import { type SpanContext, traced } from '../../platform/traces/spans.ts';
import { targetOf } from '../ports/grant.ts';
import type { NewSession } from '../ports/records.ts';
import type { SwitchTarget } from '../ports.ts';
import type { Connection } from '../protocols/connector.ts';
import { isFault, problemOf, Refusal } from '../refusal.ts';
import { Capture } from './capture.ts';
import { type Attempt, authorize, type Dialing, dial, mayAskAgain } from './dial.ts';
import { isLogFailure } from './disk-problem.ts';
import { requireInteractive } from './require-interactive.ts';
import type { Session, SessionParts } from './session.ts';

/** Opens sessions of one kind. */
export interface SessionOpener<Opened extends Session> {
  readonly kind: SessionKind;
  /** True for a terminal in which only keys act: its input can wait from the first byte. */
  readonly isInteractive?: boolean;
  /** Creates the session and its recording. Nothing is open at the target yet. @throws Refusal */
  begin(parts: SessionParts): Promise<Opened>;
  /**
   * Opens the shell, desktop or database at the target and connects it to the session. A terminal
   * switches to `account` before it passes input. @throws Refusal
   */
  open(session: Opened, connection: Connection, account: SwitchTarget | undefined): Promise<void>;
}

/**
 * Opens a session. Writes a row for each attempt, and passes no byte before row and recording
 * exist.
 * @throws Refusal
 */
export const openSession = <Opened extends Session>(
  dialing: Dialing,
  opener: SessionOpener<Opened>,
): Promise<Opened> =>
  traced({ name: 'session open', attributes: { 'sallyport.kind': opener.kind } }, (parent) =>
    openTraced(dialing, opener, parent),
  );

async function openTraced<Opened extends Session>(
  dialing: Dialing,
  opener: SessionOpener<Opened>,
  parent: SpanContext | undefined,
): Promise<Opened> {
  const authorized = await traced({ name: 'check access', parent }, () =>
    authorize(dialing, opener),
  );
  let attempt = await dial(dialing, authorized);
  for (;;) {
    try {
      const current = attempt;
      return await traced({ name: 'connect', parent }, () => tryOnce(dialing, current, opener));
    } catch (error) {
      if (!mayAskAgain(attempt, error)) throw error;
      attempt = await dial(dialing, authorized, attempt);
    }
  }
}

async function tryOnce<Opened extends Session>(
  dialing: Dialing,
  attempt: Attempt,
  opener: SessionOpener<Opened>,
): Promise<Opened> {
  const { person, client, signal } = dialing;
  const { grant, secondFactor, approvedBy, login, connector, route, limits } = attempt;
  requireInteractive(grant, opener.isInteractive);
  const capture = new Capture(limits.masksSecrets, login);
  const ports = capture.ports(dialing.ports);
  const row: NewSession = {
    id: randomUUID(),
    kind: opener.kind,
    // A copy: the session changes its address.
    person: { ...person },
    grant,
    account: login.switchTo?.username ?? login.username,
    secondFactor,
    dateStart: databaseClock.date(),
  };
  await ports.sessions.create(row);
  if (approvedBy !== undefined) await ports.approvals?.used(approvedBy, row.id);
  let connection: Connection | undefined;
  let session: Opened | undefined;
  let oldAlgorithms: readonly string[] = [];
  const onOutdated = (names: readonly string[]) => {
    oldAlgorithms = names;
  };
  try {
    if (ports.lacksDescriptors?.()) throw new Refusal('server_resources');
    if (ports.disk.isHanging?.()) throw new Refusal('session_disk_hanging');
    if ((await ports.disk.freeBytes()) < limits.diskReserveBytes)
      throw new Refusal('session_disk_full');
    try {
      const certificate = await login.certify?.(row);
      if (certificate) await ports.sessions.setCertificate(row.id, certificate);
      connection = await connector.connect({ ...route, certificate, onOutdated }, signal);
    } finally {
      // Also log the algorithms if the connection fails after we sent the password.
      if (oldAlgorithms.length > 0) await ports.sessions.setOldAlgorithms(row.id, oldAlgorithms);
    }
    client.stage('opening', grant.asset.hostname);
    session = await opener.begin({ row, ports, limits, client, capture });
    // Sessions of files and of requests have log entries instead of a recording.
    if (opener.kind !== 'transfer' && opener.kind !== 'api')
      await ports.sessions.begun(row.id, session.takesGuests);
    signal.throwIfAborted();
    await opener.open(session, connection, login.switchTo);
    client.opened({ id: row.id, asset: targetOf(grant).name, account: row.account, oldAlgorithms });
    return session;
  } catch (error) {
    connection?.close();
    const { code, params } = problemOf(error);
    if (isFault({ code }))
      ports.log.error({ session: row.id, err: error }, 'a session could not be opened');
    if (session) {
      // The recording has started, so the session writes its own end.
      session.end(code, params);
      await session.ended;
    } else await finishRow(dialing, row, code);
    throw error;
  }
}

async function finishRow(
  { ports }: Dialing,
  row: NewSession,
  reason: ReturnType<typeof problemOf>['code'],
): Promise<void> {
  const replayState = isLogFailure(reason) && reason !== 'session_disk_full' ? 'failed' : 'none';
  try {
    await ports.sessions.finish(row.id, {
      dateEnd: databaseClock.date(),
      reason,
      success: false,
      replayState,
    });
  } catch (error) {
    ports.log.error({ session: row.id, err: error }, 'the end of a session could not be written');
  }
}
