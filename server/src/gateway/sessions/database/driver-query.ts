import type { DatabaseType } from '@sallyport/contract';
import type { DatabaseDriver } from '../../protocols/drivers/driver.ts';
import type { Row } from './result-spool.ts';

/** Runs a statement of ours and returns its rows. @throws StatementError */
export async function query(driver: DatabaseDriver, text: string): Promise<Row[]> {
  const rows: Row[] = [];
  await driver.run(text, {
    onColumns: () => undefined,
    onRow: (row) => void rows.push(row),
    onResult: () => undefined,
  });
  return rows;
}

/** Restores a state. Tries twice: a late cancellation may have hit the first attempt. */
export async function restore(driver: DatabaseDriver, text: string): Promise<void> {
  try {
    await query(driver, text);
  } catch {
    await query(driver, text).catch((error: unknown) => {
      throw new Error('the state before a statement could not be restored', { cause: error });
    });
  }
}

/** A separate transaction of ours, which `commit` or `rollback` ends, and `after` follows. */
export interface OwnTransaction {
  readonly begin: string;
  readonly after: readonly string[];
}

/**
 * Returns the statements of a transaction of ours, while none is open. Returns undefined if a user
 * of MySQL has switched autocommit off: the next statement begins the user's transaction.
 */
export async function ownTransaction(
  driver: DatabaseDriver,
  type: DatabaseType,
): Promise<OwnTransaction | undefined> {
  if (type === 'postgresql') return { begin: 'begin', after: [] };
  const [[automatic] = []] = await query(driver, 'select @@autocommit');
  // START TRANSACTION would release LOCK TABLES.
  return automatic === '1'
    ? { begin: 'set autocommit = 0', after: ['set autocommit = 1'] }
    : undefined;
}
