import { assetPermission } from '@sallyport/contract';
import type { Suspending } from '../../module.ts';
import { systemCaller } from '../../platform/actor.ts';
import { writeByTicket } from '../../platform/change-gate.ts';
import { type Db, transact } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import { organizationName } from './store.ts';

interface OpenPermission {
  readonly ticket: string;
  readonly permission: string;
  readonly org_id: string;
  readonly org_name: string;
}

/**
 * Ends all open emergency access. While the feature is off, no reviewer can watch or end it. The
 * tickets stay open for a later review.
 */
export async function endOpenAccess({ db, engine }: Suspending): Promise<void> {
  const { rows } = await sql<OpenPermission>`
    select act.ticket_id as ticket, p.id as permission, act.org_id,
      ${organizationName(sql.ref('act.org_id'))} as org_name
    from emergency_activation act join asset_permission p on p.id = act.permission_id
    where p.is_active and p.date_expired > now()`.execute(db);
  const { writer } = engine(assetPermission);
  for (const { ticket, permission, org_id: id, org_name: name } of rows)
    await transact(db, async (tx) => {
      await writeByTicket(ticket, tx);
      const caller = systemCaller('System', '', { id, name });
      await writer.change(permission, { is_active: false }, caller, { tx });
    });
}

/** Counts the tickets that wait for a review. */
export async function countUnreviewed(db: Db): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from emergency_activation act
      join ticket t on t.id = act.ticket_id where t.status = 'open'`.execute(db);
  return rows[0]?.count ?? 0;
}
