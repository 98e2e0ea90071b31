import type { Tx } from '../../platform/db/database.ts';
import { type Sql, sql } from '../../platform/db/sql.ts';
import { CHANGES_CHANNEL } from '../audits/index.ts';

/** PostgreSQL limits a notification to 8,000 bytes. */
const MOST_IDS = 100;

/**
 * Notifies all servers at commit that sessions ended or got their recordings. The operate log has
 * no entry that would trigger it. Sessions of the self-test are excluded, as no list shows them.
 */
export async function notifySessionsChanged(tx: Tx, sessions: readonly string[]): Promise<void> {
  await newsOf(sql`session where id = any (${sessions}::uuid[]) and not is_canary`).execute(tx);
}

/** The notification of sessions that changed, for a statement that also changes their rows. */
export const newsOf = (rows: Sql): Sql => sql`
  select pg_notify(${CHANGES_CHANNEL}, json_build_object(
    'organization', org_id, 'resource', 'session', 'ids',
      case when count(*) <= ${MOST_IDS} then json_agg(id) end)::text)
  from ${rows} group by org_id`;
