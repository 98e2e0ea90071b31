import { sql } from 'kysely';
import type { Tx } from '../../platform/db/database.ts';
import { CHANGES_CHANNEL } from '../audits/operate-log.ts';

/** A notification has room for 8,000 bytes. */
const MOST_IDS = 100;

/**
 * With the commit, all servers hear that sessions have ended or got their recordings: no entry of
 * the operate log says so. The self-test's sessions are in no list.
 */
export async function sayChanged(tx: Tx, sessions: readonly string[]): Promise<void> {
  await sql`
    select pg_notify(${CHANGES_CHANNEL}, json_build_object(
      'organization', org_id, 'resource', 'session', 'ids',
        case when count(*) <= ${MOST_IDS} then json_agg(id) end)::text)
    from session where id = any (${sessions}::uuid[]) and not is_canary group by org_id`.execute(
    tx,
  );
}
