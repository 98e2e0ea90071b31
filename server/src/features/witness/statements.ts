import { CHAINED_LOGS } from '@sallyport/contract';
import type { Db } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import type { OutsideHeads } from '../audits/index.ts';

interface Statement {
  readonly heads?: unknown;
}

interface StatedHead {
  readonly log?: unknown;
  readonly sequence?: unknown;
  readonly digest?: unknown;
}

/** The newest rows of the logs in a statement. Empty for a text that the server did not write. */
function headsIn(text: string): OutsideHeads['heads'] {
  let statement: Statement | null = null;
  try {
    statement = JSON.parse(text) as Statement | null;
  } catch {
    // The next statement does not name it then, as the evidence shows.
  }
  const stated = Array.isArray(statement?.heads) ? (statement.heads as readonly StatedHead[]) : [];
  const heads = stated.flatMap(({ log, sequence, digest }) => {
    const known = CHAINED_LOGS.find((one) => one === log);
    return known && Number.isSafeInteger(sequence) && typeof digest === 'string'
      ? [[known, { sequence: sequence as number, digest }]]
      : [];
  });
  return Object.fromEntries(heads) as OutsideHeads['heads'];
}

/** Reads the statements for the witness, oldest first. */
export async function readStatements(db: Db): Promise<readonly OutsideHeads[]> {
  const { rows } = await sql<{ statement: string; name: string; date: Date }>`
    select statement, authority as name, date_requested as date from audit_witness order by id`.execute(
    db,
  );
  return rows.map(({ statement, name, date }) => ({
    place: 'witness',
    name,
    date,
    heads: headsIn(statement),
  }));
}
