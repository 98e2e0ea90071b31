import type pg from 'pg';
import type { Db } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';

/** Statements with defects, which the test of this folder expects to be found. */
export async function breakPromises(db: Db, pool: pg.Pool, isActive?: boolean): Promise<void> {
  await sql<{ id: string; title: string }>`select id, name from label`.execute(db);
  await sql<{ id: number; name: string }>`select id, name from label`.execute(db);
  await sql<{ amount: number }>`select sum(sequence) as amount from operate_log`.execute(db);
  await sql<{ ids: number[] }>`select array_agg(sequence) as ids from operate_log`.execute(db);
  await sql<{ last_login: Date }>`select last_login from account`.execute(db);
  await sql`select nothing from label`.execute(db);
  await pool.query<{ count: string }>('select count(*) from label');
  const condition = isActive === undefined ? sql`` : sql`where is_activ = ${isActive}`;
  await sql`select id from asset ${condition}`.execute(db);
  // These are correct.
  await sql<{ count: number }>`select count(*) from label`.execute(db);
  await sql<{ last_login: Date | null }>`select last_login from account`.execute(db);
  await sql<{ last_login: Date }>`
    select last_login from account where last_login is not null`.execute(db);
}
