import type { Resource } from '@sallyport/contract';
import type { Tx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/sql.ts';

/**
 * Serializes changes to grants. Every such change locks the version row at some point; locking it
 * before any other row prevents deadlocks.
 */
export async function lockGrants(tx: Tx): Promise<void> {
  await sql`select 1 from grant_version for update`.execute(tx);
}

/** Calls `lockGrants` if grants depend on the resource. */
export async function lockGrantsFor(
  resource: Pick<Resource, 'feedsGrants'>,
  tx: Tx,
): Promise<void> {
  if (resource.feedsGrants) await lockGrants(tx);
}
