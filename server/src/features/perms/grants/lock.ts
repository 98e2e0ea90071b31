import type { Resource } from '@sallyport/contract';
import { sql } from 'kysely';
import type { Tx } from '../../../platform/db/database.ts';

/**
 * Waits until no other transaction changes what grants depend on. Every such change locks the
 * version of the grants sooner or later. Locking it first, before any row, prevents deadlocks
 * between two of them.
 */
export async function lockGrants(tx: Tx): Promise<void> {
  await sql`select 1 from grant_version for update`.execute(tx);
}

/**
 * The same for a transaction that writes a resource; nothing for one that grants do not depend on.
 */
export async function lockGrantsFor(
  resource: Pick<Resource, 'feedsGrants'>,
  tx: Tx,
): Promise<void> {
  if (resource.feedsGrants) await lockGrants(tx);
}
