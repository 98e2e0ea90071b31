import { type DatabaseDriver, StatementError } from '../../protocols/drivers/driver.ts';
import { asksAboutLast } from '../../protocols/sql/last-statement.ts';
import { Refusal, wordProblem } from '../../refusal.ts';
import type { DatabaseSession } from './database-session.ts';
import { beforeOpening } from './time-limits.ts';

type Mode = Pick<DatabaseDriver, 'setReadOnly' | 'keepUtf8' | 'keepReadable' | 'transaction'>;

/**
 * Begins a session in the read-only mode of the database, if its permission allows only reading.
 * @throws Refusal if the database cannot keep the mode
 */
export async function beginReadOnly(driver: Mode, session: DatabaseSession): Promise<void> {
  if (!session.isReadOnly) return;
  await beforeOpening(session, driver.setReadOnly(true)).catch((error: unknown) => {
    const { hostname: host } = session.row.grant.asset;
    throw error instanceof StatementError ? new Refusal('database_not_read_only', { host }) : error;
  });
}

const MODE = /sql_mode/i;
const ASCII = /^[\0-\x7f]*$/;

/**
 * Keeps the mode of a session in line with its permission, and its character set UTF-8: a function
 * of the database, or a value that only the server knows, may have changed it.
 */
export class ReadOnlyMode {
  private readonly driver: Mode;
  private readonly session: DatabaseSession;
  private isReadOnly: boolean;
  /** True after a statement that may set `sql_mode` from a variable. */
  private isModeUnknown = false;

  constructor({ driver, session }: { driver: Mode; session: DatabaseSession }) {
    this.driver = driver;
    this.session = session;
    this.isReadOnly = session.isReadOnly;
  }

  /**
   * Sets the mode before a statement; for read-only users again each time, because a function of
   * the database may have lifted it. A running transaction keeps its mode. A statement of MySQL
   * that only asks about the last one goes first, because ours would change the answer.
   * @throws StatementError
   */
  async prepare(statement: string): Promise<void> {
    const { session, driver } = this;
    const { isReadOnly } = session;
    const isSame = isReadOnly === this.isReadOnly;
    const isMysql = session.row.grant.database?.type !== 'postgresql';
    if (isSame && isMysql && asksAboutLast(statement)) return;
    // ASCII means the same in every character set that MySQL takes for statements.
    if (isMysql && !ASCII.test(statement)) await this.keepUtf8();
    if (isMysql && isReadOnly && this.isModeUnknown) await driver.keepReadable();
    this.isModeUnknown = MODE.test(statement);
    if (driver.transaction !== 'none' || !(isReadOnly || this.isReadOnly)) return;
    await driver.setReadOnly(isReadOnly).catch((error: unknown) => {
      throw error instanceof Refusal
        ? new StatementError(wordProblem(error.problem, session.row.person.language))
        : error;
    });
    this.isReadOnly = isReadOnly;
  }

  /** Servers that resemble MySQL may refuse it; a session that may write continues there. */
  private async keepUtf8(): Promise<void> {
    await this.driver.keepUtf8().catch((error: unknown) => {
      if (!(error instanceof StatementError) || this.session.isReadOnly) throw error;
    });
  }
}
