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
