import { user } from '@sallyport/contract';
import { type Sql, sql } from '../../platform/db/sql.ts';
import type { SettingsService } from '../../platform/settings/service.ts';
import { type Attention, attentionRows } from '../../resources/attention.ts';
import { userName } from '../../resources/relations/named-objects.ts';
import { userAttention } from './accounts/email.ts';

const NAME = userName('t');

export function createUserAttention(settings: SettingsService): Attention {
  const conditions = userAttention(settings);
  const rows = (kind: keyof typeof conditions, date?: Sql) => ({
    resource: user,
    search: attentionRows('account', conditions[kind], { name: NAME, ...(date && { date }) }),
  });
  return {
    rows: {
      locked_users: rows('locked_users'),
      users_without_reviewers: rows('users_without_reviewers'),
      users_shut: rows('users_shut', sql`t.date_source_state`),
      users_expiring: { ...rows('users_expiring', sql`t.date_expired`), soonestFirst: true },
      first_password: rows('first_password'),
      duty_holders_elsewhere: rows('duty_holders_elsewhere'),
      users_of_one_name: rows('users_of_one_name'),
      administrators_without_mfa: rows('administrators_without_mfa', sql`t.last_login`),
    },
  };
}
