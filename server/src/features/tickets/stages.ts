import type { Tx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import type { Approvers } from '../perms/index.ts';
import { reviewersOf } from './reviewers.ts';

/** Stores the users and groups that decide on a ticket of the server. */
export async function keepStage(
  {
    ticketId,
    organizationId,
    named: { users, groups },
  }: { readonly ticketId: string; readonly organizationId: string; readonly named: Approvers },
  tx: Tx,
): Promise<void> {
  await sql`insert into ticket_stage (ticket_id, stage, org_id, user_ids, group_ids)
    values (${ticketId}, 1, ${organizationId}, ${users}::uuid[], ${groups}::uuid[])`.execute(tx);
}

interface StageRow {
  readonly org_id: string;
  readonly user_ids: readonly string[];
  readonly group_ids: readonly string[];
}

/**
 * Returns true if an assignee of a ticket is still a reviewer: named, a member of a named group, or
 * an administrator. Tickets without stages have no other reviewers than their assignees.
 */
export async function mayDecide(
  ticketId: string,
  requesterId: string | null,
  userId: string,
  tx: Tx,
): Promise<boolean> {
  const { rows } = await sql<StageRow>`select org_id, user_ids, group_ids from ticket_stage
    where ticket_id = ${ticketId}`.execute(tx);
  const [stage] = rows;
  if (!stage) return true;
  const reviewers = await reviewersOf(
    {
      organizationId: stage.org_id,
      userId: requesterId,
      named: { users: stage.user_ids, groups: stage.group_ids },
      first: userId,
    },
    tx,
  );
  return reviewers.includes(userId);
}
