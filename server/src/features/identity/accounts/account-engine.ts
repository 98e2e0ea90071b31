import { type Problem, user, userGroup } from '@sallyport/contract';
import { displayName } from '../../../platform/actor.ts';
import type { Vault } from '../../../platform/crypto/vault.ts';
import type { Db } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/sql.ts';
import { createGate } from '../../../platform/gate.ts';
import { createSettings, type SettingsService } from '../../../platform/settings/service.ts';
import { createEngines, engineOf, type ResourceEngine } from '../../../resources/engines.ts';
import { hooksFor, type ResourceHooks } from '../../../resources/hooks.ts';
import { usedIds, writeOperateLog } from '../../audits/index.ts';
import { createOrganizations } from '../../orgs/index.ts';
import { lockGrantsFor } from '../../perms/index.ts';
import { createUserHooks } from './user-hooks.ts';

/**
 * Hooks of user groups. Auditors join no groups, so that no permission reaches them through one.
 */
export const userGroupHooks = hooksFor(userGroup, {
  // Without these rows no directory or provider could take a membership back.
  following: [
    { table: 'provider_membership', column: 'user_group_id' },
    { table: 'scim_group', column: 'group_id' },
  ],
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

/**
 * Accounts without the rest of the program, for operator commands and tools: the same rules, scope
 * and audit.
 */
export interface AccountEngine extends Pick<ResourceEngine, 'reader' | 'writer'> {
  readonly db: Db;
  readonly settings: SettingsService;
}

/**
 * Hooks of users for operator commands, which need no further confirmation. New accounts get no
 * mail.
 */
export const createOperatorUserHooks = (settings: SettingsService): ResourceHooks =>
  createUserHooks(
    settings,
    { isConfigured: () => false },
    {
      async enqueue() {
        throw new Error('only the server sends mails');
      },
    },
    () => Promise.resolve(),
  );

export async function openAccounts(db: Db, vault: Vault): Promise<AccountEngine> {
  const settings = createSettings(db, vault);
  await settings.reload();
  const engines = createEngines(
    {
      user: createOperatorUserHooks(settings),
      user_group: userGroupHooks,
    },
    {
      db,
      vault,
      audit: writeOperateLog,
      usedIds,
      organizationName: createOrganizations(db).nameOf,
      lockGrants: lockGrantsFor,
      keepDeletedDays: () => settings.get('DELETED_KEEP_DAYS'),
      longReads: createGate(1),
    },
  );
  const { reader, writer } = engineOf(engines, user);
  return { db, settings, reader, writer };
}
