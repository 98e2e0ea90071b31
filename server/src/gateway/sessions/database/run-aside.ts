import { RECORDED_ROWS, STATEMENT_MS } from '../../limits.ts';
import { type DatabaseDriver, StatementError } from '../../protocols/drivers/driver.ts';
import type { DatabaseSession } from './database-session.ts';
import type { Row } from './result-spool.ts';
import { cancelAfter } from './time-limits.ts';

/** Columns of logged Redis answers. */
const ASIDE_COLUMNS = ['#', 'type', 'value'];

/**
 * Runs a statement of the key tree and returns up to `max` rows; none after the end of the session.
 * @throws StatementError when it is rejected or fails
 */
export async function runAside(
  { session, driver }: { readonly session: DatabaseSession; readonly driver: DatabaseDriver },
  statement: string,
  max: number,
): Promise<readonly Row[]> {
  if (session.isOver) return [];
  const began = performance.now();
  const rows: Row[] = [];
  let count: number | undefined;
  const lift = cancelAfter({ session, driver }, STATEMENT_MS);
  const over = (error?: string) =>
    session.command({
      statement,
      rows: count,
      milliseconds: performance.now() - began,
      isByKeyTree: true,
      preview: {
        columns: error === undefined ? ASIDE_COLUMNS : [],
        rows: rows.slice(0, RECORDED_ROWS),
      },
      ...(error !== undefined && { error }),
    });
  try {
    const decision = await session.decide(statement, true);
    if (!decision.isAllowed) throw new StatementError(decision.message);
    await session.ready();
    try {
      await driver.run(statement, {
        onColumns: () => undefined,
        onRow: (row) => void (rows.length < max && rows.push(row)),
        onResult: (total) => {
          count = total;
        },
      });
    } catch (error) {
      if (error instanceof StatementError) over(error.message);
      throw error;
    }
    over();
    return rows;
  } finally {
    lift();
    await session.written();
  }
}
