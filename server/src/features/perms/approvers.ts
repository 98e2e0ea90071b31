import type { Db, Tx } from '../../platform/db/database.ts';
import { type Sql, sql } from '../../platform/db/sql.ts';
import { type GrantKind, ruleIn } from './grants/kind.ts';
import { IS_VALID_USER } from './grants/paths.ts';

/** Users, and user groups whose members may review. */
export interface Approvers {
  readonly users: readonly string[];
  readonly groups: readonly string[];
}

/**
 * Condition: account `u` is among users or in one of the groups, and a member of the organization.
 */
export const isApprover = ({ users, groups }: Approvers, organizationId: string): Sql => sql`(
  u.id in (select unnest(${users}::uuid[]) union all
    select g.user_id from user_group_users g where g.user_group_id = any (${groups}::uuid[]))
  and (${organizationId} = '' or exists (select 1 from organization_member m
    where m.user_id = u.id and m.organization_id::text = ${organizationId})))`;

/** Prefixes of the link tables of each stage. */
const STAGES = ['', 'second_', 'third_'] as const;
type Stage = (typeof STAGES)[number];

const linksOf = ({ rule }: GrantKind, stage: Stage, field: 'approvers' | 'approver_groups'): Sql =>
  sql`${sql.table(`${rule}_${stage}${field}`)} link`;

async function approversOfStage(
  kind: GrantKind,
  stage: Stage,
  ruleIds: readonly string[],
  on: Db | Tx,
): Promise<Approvers> {
  const inRules = sql`where ${ruleIn(kind, 'link')} = any (${ruleIds}::uuid[])`;
  const { rows } = await sql<Approvers>`select
    array(select link.user_id from ${linksOf(kind, stage, 'approvers')} ${inRules}) as users,
    array(select link.user_group_id from ${linksOf(kind, stage, 'approver_groups')} ${inRules})
      as groups`.execute(on);
  return rows[0] ?? { users: [], groups: [] };
}

/** The reviewers that permissions of one kind name, those of the first stage. */
export const approversOf = (
  kind: GrantKind,
  ruleIds: readonly string[],
  on: Db | Tx,
): Promise<Approvers> => approversOfStage(kind, '', ruleIds, on);

/**
 * The reviewers of each stage of an approval by permissions of one kind. The permission with most
 * stages counts, and each stage has the reviewers of all permissions that have it.
 */
export async function approvalStages(
  kind: GrantKind,
  ruleIds: readonly string[],
  on: Db | Tx,
): Promise<readonly Approvers[]> {
  const { rows } = await sql<{ id: string; stages: number }>`
    select id, approval_stages as stages from ${sql.table(kind.rule)}
    where id = any (${ruleIds}::uuid[])`.execute(on);
  const stages: Approvers[] = [];
  for (const [index, stage] of STAGES.entries()) {
    const rules = rows.filter((row) => row.stages > index).map(({ id }) => id);
    if (rules.length > 0) stages.push(await approversOfStage(kind, stage, rules, on));
  }
  return stages;
}

/**
 * Condition on permissions in force (alias `t`) with a stage that names groups, but no user who can
 * sign in. `needs`: the permission needs reviewers.
 */
export function lacksApprovers(kind: GrantKind, needs: Sql): Sql {
  const ofRule = sql`${ruleIn(kind, 'link')} = t.id`;
  const lacking = STAGES.map(
    (stage, index) => sql`(t.approval_stages > ${sql.lit(index)}
    and exists (select 1 from ${linksOf(kind, stage, 'approver_groups')} where ${ofRule})
    and not exists (select 1 from account u where ${IS_VALID_USER}
      and (t.org_id = '' or exists (select 1 from organization_member m
        where m.user_id = u.id and m.organization_id::text = t.org_id))
      and u.id in (
        select link.user_id from ${linksOf(kind, stage, 'approvers')} where ${ofRule}
        union all
        select g.user_id from ${linksOf(kind, stage, 'approver_groups')}
          join user_group_users g on g.user_group_id = link.user_group_id
        where ${ofRule})))`,
  );
  return sql`(t.is_active and t.date_expired > now() and ${needs}
    and (${sql.join(lacking, sql` or `)}))`;
}
