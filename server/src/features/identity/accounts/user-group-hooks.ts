import { type Problem, userGroup } from '@sallyport/contract';
import { displayName } from '../../../platform/actor.ts';
import { sql } from '../../../platform/db/sql.ts';
import { hooksFor } from '../../../resources/hooks.ts';

/**
 * Hooks of user groups. Auditors join no groups, so that no permission reaches them through one.
 */
export const userGroupHooks = hooksFor(userGroup, {
  async refuseLinks(field, ids, { tx }) {
    if (field !== 'users') return new Map();
    const { rows } = await sql<{ id: string; name: string; username: string }>`
      select id, name, username from account
      where id = any (${ids}::uuid[]) and role = 'Auditor'`.execute(tx);
    return new Map(
      rows.map((row): [string, Problem] => [
        row.id,
        { code: 'auditor_in_group', params: { name: displayName(row) } },
      ]),
    );
  },
});
