import { allows, Permission } from '@sallyport/contract';
import type { Actor } from '../../platform/actor.ts';
import { type Sql, sql } from '../../platform/db/sql.ts';
import type { JobDefinition } from '../../platform/jobs/definition.ts';

const INSTALLATION = Permission.SUPER | Permission.ADMIN;

/**
 * Condition on the jobs `t` that a caller sees. Undefined for all jobs. Only administrators of the
 * installation see jobs of the server itself.
 */
export function visibleJobs({ permissions, userId, organization }: Actor): Sql | undefined {
  if (allows(permissions, INSTALLATION)) return undefined;
  if (allows(permissions, Permission.ADMIN))
    return sql`(t.user_id = ${userId} or t.org_id = ${organization.id} and t.started_by <> '')`;
  // Auditors can read the output of batch commands in their organization.
  if (allows(permissions, Permission.AUDIT))
    return sql`(t.user_id = ${userId} or t.org_id = ${organization.id} and t.name = 'run-command')`;
  return sql`t.user_id = ${userId}`;
}

/**
 * Returns true if a caller who sees a job may cancel or repeat it. These are the callers who may
 * start its kind.
 */
export function mayControl(
  { permissions }: Actor,
  kind: Pick<JobDefinition, 'access'> | undefined,
): boolean {
  if (allows(permissions, INSTALLATION)) return true;
  return kind !== undefined && kind.access !== 'server' && allows(permissions, kind.access);
}
