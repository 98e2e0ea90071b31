import { sql } from 'kysely';
import type { Tx } from '../../../platform/db/database.ts';

/** The resources whose rows decide what people are granted; their triggers move the version of the grants. */
const FEEDS_GRANTS: ReadonlySet<string> = new Set(['organization', 'user', 'user_group', 'node', 'asset', 'system_user', 'asset_permission']);

/**
 * Waits until no other transaction changes what grants depend on. Every such change locks the version of the grants sooner or later; taken
 * first, before any row, it keeps two of them from waiting for each other in a circle.
 */
export async function takeTurn(tx: Tx): Promise<void> {
  await sql`select 1 from grant_version for update`.execute(tx);
}

/** The same for a transaction that writes a resource; nothing for one that grants do not depend on. */
export async function takeTurnFor(resource: { readonly name: string }, tx: Tx): Promise<void> {
  if (FEEDS_GRANTS.has(resource.name)) await takeTurn(tx);
}
