import type { Tx } from '../server/src/platform/db/database.ts';
import { sql } from '../server/src/platform/db/sql.ts';
import { inLanguage } from './language.ts';

/**
 * Inserts rows with the same columns, their texts in the language of the sample data. Values must
 * be valid in JSON (dates as ISO texts).
 */
export async function insertRows(
  tx: Tx,
  table: string,
  rows: readonly Readonly<Record<string, unknown>>[],
): Promise<void> {
  const [first] = rows;
  if (!first) return;
  const columns = sql.join(Object.keys(first).map((column) => sql.ref(column)));
  // The table's row type parses the JSON, so each column has its type from the schema.
  await sql`
    insert into ${sql.table(table)} (${columns})
    select ${columns} from jsonb_populate_recordset(null::${sql.table(table)},
    ${JSON.stringify(inLanguage(rows))}::jsonb)`.execute(tx);
}
