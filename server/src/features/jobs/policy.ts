import { allows, Permission } from '@sallyport/contract';
import { type RawBuilder, sql } from 'kysely';
import type { Actor } from '../../platform/actor.ts';
import type { JobDefinition } from '../../platform/jobs/definition.ts';

const INSTALLATION = Permission.SUPER | Permission.ADMIN;

/**
 * Which jobs a caller sees, over `t`; undefined: all of them. What the server does by itself is for
 * administrators of the installation.
 */
export function visibleJobs({
  permissions,
  userId,
  organization,
}: Actor): RawBuilder<unknown> | undefined {
  if (allows(permissions, INSTALLATION)) return undefined;
  if (allows(permissions, Permission.ADMIN))
    return sql`(t.user_id = ${userId} or t.org_id = ${organization.id} and t.started_by <> '')`;
  // Auditors read what batch commands of their organization printed.
  if (allows(permissions, Permission.AUDIT))
    return sql`(t.user_id = ${userId} or t.org_id = ${organization.id} and t.name = 'run-command')`;
  return sql`t.user_id = ${userId}`;
}

/**
 * Whether a caller who sees a job may cancel it or run it again: true for callers who may start
 * this kind of job.
 */
export function mayControl(
  { permissions }: Actor,
  kind: Pick<JobDefinition, 'access'> | undefined,
): boolean {
  if (allows(permissions, INSTALLATION)) return true;
  return kind !== undefined && kind.access !== 'server' && allows(permissions, kind.access);
}
