import {
  heldByOrganizations,
  type LocalText,
  organization,
  type Problem,
  RESOURCES,
  say,
} from '@sallyport/contract';
import { type Caller, displayName } from '../../platform/actor.ts';
import type { Tx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import { Forbidden, invalid } from '../../platform/errors.ts';
import { hooksFor, type ResourceHooks, type Saved } from '../../resources/hooks.ts';
import { nameRootNode, removeTree } from '../assets/index.ts';
import { deleteOrganization } from './store.ts';

/** Names that requests use for organizations without a row. */
const RESERVED = new Set(['DEFAULT', 'ROOT', 'SYSTEM']);

export interface OrganizationHookOptions {
  /** Returns true with a license, which more than the default organization requires. */
  isLicensed(): boolean;
}

export function createOrganizationHooks({ isLicensed }: OrganizationHookOptions): ResourceHooks {
  return hooksFor(organization, {
    // New members come from outside the organization, so these fields offer all users.
    wholeLinks: ['users', 'admins', 'auditors'],
    // An account holds at most one duty.
    async refuseLinks(field, ids, { tx }) {
      if (field === 'users') return new Map();
      const { rows } = await sql<{ id: string; name: string; username: string }>`
        select id, name, username from account
        where id = any (${ids}::uuid[]) and duty <> ''`.execute(tx);
      return new Map(
        rows.map((row): [string, Problem] => [
          row.id,
          { code: 'duty_member', params: { user: displayName(row) } },
        ]),
      );
    },
    beforeSave(values, previous) {
      if (!previous && !isLicensed()) throw new Forbidden('license_required');
      if (typeof values.name === 'string' && RESERVED.has(values.name.toUpperCase()))
        throw invalid('name', 'organization_name_reserved');
    },
    async afterSave(saved, { tx }) {
      for (const one of saved) await nameRoot(one, tx);
    },
    async beforeDelete(row, { caller, tx }) {
      if (row.id === caller.actor.organization.id) throw new Forbidden('organization_current');
      const held = await contentsOf(row.id, caller, tx);
      if (held.length > 0)
        throw new Forbidden('organization_not_empty', {
          what: held.join(say({ en: ', ', zh: '、' }, caller.language)),
        });
    },
    async remove({ id }, { tx }) {
      await removeTree(id, tx);
      await deleteOrganization(id, tx);
    },
  });
}

/** Renames the root node with its organization. */
async function nameRoot(
  { id, values, previous }: Saved<typeof organization>,
  tx: Tx,
): Promise<void> {
  if (values.name === undefined || values.name === previous?.name) return;
  await nameRootNode({ id, name: String(values.name) }, tx);
}

async function contentsOf(id: string, { language }: Caller, tx: Tx): Promise<string[]> {
  const held: LocalText[] = [];
  const has = async (condition: ReturnType<typeof sql>) =>
    (await sql<{ found: boolean }>`select exists (${condition}) as found`.execute(tx)).rows[0]
      ?.found === true;
  if (await has(sql`select 1 from organization_member where organization_id = ${id}`))
    held.push({ en: 'members', zh: '成员' });
  for (const resource of heldByOrganizations(RESOURCES)) {
    if (await has(sql`select 1 from ${sql.table(resource.table)} t where t.org_id = ${id}`))
      held.push({ en: `${resource.title.en.toLowerCase()}s`, zh: resource.title.zh });
  }
  return held.map((text) => say(text, language));
}
