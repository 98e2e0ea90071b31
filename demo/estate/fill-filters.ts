import type { Tx } from '../../server/src/platform/db/database.ts';
import { daysBefore } from '../calendar.ts';
import type { Random } from '../random.ts';
import { insertRows } from '../rows.ts';
import type { FilledAccounts } from './fill-accounts.ts';
import filters from './filters.json' with { type: 'json' };

/** Inserts command filters with rules for system users, including that of the sandboxed target. */
export async function fillFilters(
  tx: Tx,
  random: Random,
  now: Date,
  { systemUsers }: FilledAccounts,
): Promise<void> {
  const history = {
    created_by: '林晓峰',
    date_created: daysBefore(now, 120),
    date_updated: daysBefore(now, 40),
  };
  for (const { name, accounts, comment, rules } of filters) {
    const id = random.uuid();
    await insertRows(tx, 'command_filter', [
      { id, org_id: '', name, is_active: true, comment, ...history },
    ]);
    await insertRows(
      tx,
      'command_filter_rule',
      rules.map((rule) => ({
        id: random.uuid(),
        org_id: '',
        filter_id: id,
        is_active: true,
        message: '',
        word: '',
        minutes: 5,
        ...rule,
        ...history,
      })),
    );
    await insertRows(
      tx,
      'command_filter_system_users',
      accounts.map((account) => ({
        command_filter_id: id,
        system_user_id: systemUsers.get(account)?.id,
      })),
    );
  }
}
