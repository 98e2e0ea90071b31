import type { DatabaseSchema } from '@sallyport/contract';
import { within } from '../../../platform/within.ts';
import { PREVIEW_MS } from '../../limits.ts';
import type { GatewayPorts } from '../../ports.ts';
import type { DatabaseDriver } from '../../protocols/drivers/driver.ts';
import { Refusal } from '../../refusal.ts';
import type { DatabaseSession } from './database-session.ts';

/** Timeouts of the cancellation of a statement, and of the schema. */
const CANCEL_MS = 30_000;
const SCHEMA_MS = 60_000;
/** Time after which a user learns that a database does not stop a statement. */
const STOP_NOTICE_MS = 10_000;
/** Timeout of a statement that sets the mode of a session. */
export const MODE_MS = 15_000;
/** Timeout of a preview with its cancellation and its rollback. */
export const PREVIEW_END_MS = PREVIEW_MS + CANCEL_MS;

/** A session and its connection to the database. */
export interface AtDatabase {
  readonly session: DatabaseSession;
  readonly driver: DatabaseDriver;
}

const noAnswer = ({ row }: DatabaseSession) =>
  new Refusal('connect_timeout', { host: row.grant.asset.hostname });

const endSilent = (session: DatabaseSession): void => {
  const { code, params } = noAnswer(session).problem;
  session.end(code, params);
};

/** Waits for a statement before the session opens. @throws Refusal if the database is silent */
export const beforeOpening = <T>(session: DatabaseSession, work: Promise<T>): Promise<T> =>
  within(work, MODE_MS, () => {
    throw noAnswer(session);
  });

/** Runs statements of ours, and ends the session if the database takes longer than the limit. */
export async function endIfSilent<T>(
  session: DatabaseSession,
  milliseconds: number,
  work: () => Promise<T>,
): Promise<T> {
  const timer = setTimeout(() => endSilent(session), milliseconds);
  try {
    return await work();
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Cancels the running statement after a limit, and ends the session if the database cannot cancel
 * or stays silent. Returns a function that lifts the limit.
 */
export function cancelAfter(
  { session, driver }: AtDatabase,
  milliseconds: number,
  onLate: () => void = () => undefined,
): () => void {
  let silent: NodeJS.Timeout | undefined;
  const late = setTimeout(() => {
    onLate();
    silent = setTimeout(() => endSilent(session), CANCEL_MS);
    driver.cancel().catch(() => endSilent(session));
  }, milliseconds);
  return () => {
    clearTimeout(late);
    clearTimeout(silent);
  };
}

/** Cancels statements for a user. */
export class Cancellation {
  private readonly parts: AtDatabase & { readonly ports: Pick<GatewayPorts, 'log'> };
  private notice: NodeJS.Timeout | undefined;
  private isLate = false;

  constructor(parts: Cancellation['parts']) {
    this.parts = parts;
  }

  /**
   * Requests the cancellation of the running statement. Never rejects. A database may roll back for
   * minutes, so only the user gives up: the first request after the notice ends the session.
   */
  async request(): Promise<void> {
    const { session, driver, ports } = this.parts;
    if (this.isLate) {
      endSilent(session);
      return;
    }
    this.notice ??= setTimeout(() => {
      this.isLate = true;
      session.notify({ code: 'statement_not_stopped' }, false);
    }, STOP_NOTICE_MS);
    await driver.cancel().catch((error: unknown) => {
      ports.log.warn({ err: error }, 'a statement could not be canceled');
      session.notify({ code: 'statement_not_canceled' }, false);
    });
  }

  /**
   * Closes the connection. A database would finish a statement whose client has gone, so a running
   * one is canceled first.
   */
  close(isRunning: boolean): void {
    const { driver, ports } = this.parts;
    if (isRunning)
      driver.cancel().catch((error: unknown) => {
        ports.log.warn({ err: error }, 'a statement of an ended session was not canceled');
      });
    driver.close();
  }

  /** Notes that the statement has ended. */
  ended(): void {
    clearTimeout(this.notice);
    this.notice = undefined;
    this.isLate = false;
  }
}

/** Returns the schema; an empty one if the database refuses or takes too long. */
export async function readSchema(database: AtDatabase): Promise<DatabaseSchema> {
  const lift = cancelAfter(database, SCHEMA_MS);
  try {
    return await database.driver.schema();
  } catch {
    return { tables: [], commands: [], isCut: false };
  } finally {
    lift();
  }
}
