import { groupMapping } from '@sallyport/contract';
import type { Caller } from '../../../platform/actor.ts';
import { sql } from '../../../platform/db/sql.ts';
import { invalid } from '../../../platform/errors.ts';
import { hooksFor } from '../../../resources/hooks.ts';
import { usersOfMappings } from './store.ts';

/**
 * Hooks of group mappings. A mapping gives something, and a change of one that gives a role needs a
 * fresh second factor, like a change of sign-in settings.
 */
export const groupMappingHooks = (proveFresh: (caller: Caller) => Promise<void>) =>
  hooksFor(groupMapping, {
    wholeLinks: ['user_groups'],
    async present(rows, { db }) {
      const users = await usersOfMappings(
        rows.map(({ id }) => String(id)),
        db,
      );
      for (const row of rows) row.users_amount = users.get(String(row.id)) ?? 0;
    },
    async afterSave(saved, { caller, tx }) {
      const { rows } = await sql<{ role: string; has_groups: boolean }>`
        select m.role, exists (select 1 from group_mapping_user_groups g
          where g.group_mapping_id = m.id) as has_groups
        from group_mapping m where m.id = any (${saved.map(({ id }) => String(id))}::uuid[])
        `.execute(tx);
      for (const { role, has_groups: hasGroups } of rows) {
        if (role === '' && !hasGroups) throw invalid('user_groups', 'required');
        if (role === 'Auditor' && hasGroups) throw invalid('user_groups', 'mapping_auditor');
      }
      if (rows.some(({ role }) => role !== '')) {
        if (caller.actor.duty !== '') throw invalid('role', 'duty_mapping');
        await proveFresh(caller);
      }
    },
  });
