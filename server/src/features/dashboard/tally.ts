import { sql } from 'kysely';
import type { Db } from '../../platform/db/database.ts';
import type { Sql } from '../../resources/hooks.ts';
import { TODAY } from '../assets/index.ts';

/** Pending changes of an organization above which the next reader merges them (migration 0270). */
const MOST_CHANGES = 1_000;

async function sumOf(organization: string, condition: Sql, db: Db): Promise<number> {
  const { rows } = await sql<{ sum: number; changes: number }>`
    select coalesce(sum(assets), 0)::integer as sum, count(*)::integer as changes from asset_tally
      where org_id = ${organization} and ${condition}`.execute(db);
  const { sum, changes } = rows[0] ?? { sum: 0, changes: 0 };
  if (changes > MOST_CHANGES) await sql`select asset_tally_gather(${organization})`.execute(db);
  return sum;
}

/** Counts the assets of an organization. */
export const countAssets = (organization: string, db: Db): Promise<number> =>
  sumOf(organization, sql`day is null`, db);

/** Counts the assets with a session of the organization in the last days. */
export const countUsedAssets = (organization: string, days: number, db: Db): Promise<number> =>
  sumOf(organization, sql`day > ${TODAY} - ${days}::integer`, db);
