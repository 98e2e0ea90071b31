import type { Db } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import type { RuleRow } from './rules/compile.ts';

/** The active rules of the active filters of a system user. */
export async function rulesOfAccount(systemUserId: string, db: Db): Promise<readonly RuleRow[]> {
  const { rows } = await sql<RuleRow>`
    select r.id, r.type, r.content, r.priority, r.action, f.name as filter
    from command_filter_system_users link join command_filter f on f.id = link.command_filter_id
      join command_filter_rule r on r.filter_id = f.id
    where link.system_user_id = ${systemUserId} and f.is_active and r.is_active
    order by r.priority desc, r.action, r.id`.execute(db);
  return rows;
}

/** The active rules of a filter, which itself may be inactive. */
export async function rulesOfFilter(filterId: string, db: Db): Promise<readonly RuleRow[]> {
  const { rows } = await sql<RuleRow>`
    select r.id, r.type, r.content, r.priority, r.action, f.name as filter
    from command_filter f join command_filter_rule r on r.filter_id = f.id
    where f.id = ${filterId} and r.is_active order by r.priority desc, r.action, r.id`.execute(db);
  return rows;
}

/** The ids of all rules in the filters of a system user, in evaluation order. */
export async function ruleIdsOfAccount(systemUserId: string, db: Db): Promise<readonly string[]> {
  const { rows } = await sql<{ id: string }>`
    select r.id from command_filter_system_users link
      join command_filter_rule r on r.filter_id = link.command_filter_id
    where link.system_user_id = ${systemUserId} order by r.priority desc, r.action, r.id`.execute(
    db,
  );
  return rows.map(({ id }) => id);
}
