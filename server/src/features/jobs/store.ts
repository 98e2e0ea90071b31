import { formatDatetime, type JobLine } from '@sallyport/contract';
import type { Db } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';

/** The lines of a job after a line number, oldest first. */
export async function linesAfter(
  db: Db,
  id: string,
  line: number,
  zone: string,
): Promise<JobLine[]> {
  const { rows } = await sql<{ line: number; date: Date; text: string }>`
    select line, date, text from job_log
      where job_id = ${id} and line > ${line} order by line`.execute(db);
  return rows.map((row) => ({ ...row, date: formatDatetime(row.date, zone) }));
}
