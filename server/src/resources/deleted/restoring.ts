import type { LocalText } from '@sallyport/contract';
import { MUST_BE_PROPOSED } from '../../platform/change-gate.ts';
import { sqlState, type Tx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import type { Operation } from '../hooks.ts';

/** A part that did not come back. */
export interface Missing {
  readonly what: LocalText;
  readonly name: string;
}

export interface Restoring {
  readonly operation: Operation;
  readonly missing: Missing[];
  readonly keepsGrants: boolean;
}

/** Runs `work` in a savepoint. Returns undefined if change control rejects it. */
export async function unlessControlled<T>(tx: Tx, work: () => Promise<T>): Promise<T | undefined> {
  await sql`savepoint restoring`.execute(tx);
  try {
    const result = await work();
    await sql`release savepoint restoring`.execute(tx);
    return result;
  } catch (error) {
    if (sqlState(error)?.code !== MUST_BE_PROPOSED) throw error;
    await sql`rollback to savepoint restoring`.execute(tx);
    return undefined;
  }
}
