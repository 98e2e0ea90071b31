import type { Problem } from '@sallyport/contract';
import { sql } from 'kysely';
import { displayName } from '../../http/actor.ts';
import type { ResourceHooks } from '../../http/resource/hooks.ts';

/** What is particular to groups: auditors are in none, so that no rule reaches them that way (identity reference §3.3). */
export const userGroupHooks: ResourceHooks = {
  async refuseLinks(field, ids, tx) {
    if (field !== 'users') return new Map();
    const { rows } = await sql<{ id: string; name: string; username: string }>`
      select id, name, username from account where id = any (${ids}::uuid[]) and role = 'Auditor'`.execute(tx);
    return new Map(rows.map((row): [string, Problem] => [row.id, { code: 'auditor_in_group', params: { name: displayName(row) } }]));
  },
};
