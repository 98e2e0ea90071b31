import { type LocalText, RESOURCES, say } from '@sallyport/contract';
import { sql } from 'kysely';
import type { Context } from '../../http/context.ts';
import { invalid, Refusal } from '../../http/problem.ts';
import type { ResourceHooks, Saved } from '../../http/resource/hooks.ts';
import type { Tx } from '../../platform/db/database.ts';
import { rootOf } from '../assets/tree.ts';

/** Names that requests use for organizations that have no row. */
const RESERVED = new Set(['DEFAULT', 'ROOT', 'SYSTEM']);
/** What has to be gone before an organization goes (identity reference §5), by resource name. */
const HOLDS = ['user_group', 'asset', 'domain', 'admin_user', 'system_user', 'label', 'asset_permission'];

export interface OrganizationHookOptions {
  /** More organizations than the default one need a license. */
  isLicensed(): boolean;
}

/** What is particular to organizations. */
export function createOrganizationHooks({ isLicensed }: OrganizationHookOptions): ResourceHooks {
  return {
    // A member is made of somebody who is none yet, so the fields look beyond the current organization.
    wholeLinks: ['users', 'admins', 'auditors'],
    beforeSave(values, previous) {
      if (!previous && !isLicensed()) throw new Refusal(403, 'license_required');
      if (typeof values.name === 'string' && RESERVED.has(values.name.toUpperCase())) throw invalid('name', 'organization_name_reserved');
    },
    async afterSave(saved, _context, tx) {
      for (const one of saved) await nameRoot(one, tx);
    },
    async beforeDelete(row, context, tx) {
      if (row.id === context.actor.organization.id) throw new Refusal(403, 'organization_current');
      const held = await whatIsLeft(String(row.id), context, tx);
      if (held.length > 0) throw new Refusal(403, 'organization_not_empty', { what: held.join(say({ en: ', ', zh: '、' }, context.language)) });
    },
    async remove({ id }, _context, tx) {
      await sql`delete from node where org_id = ${id}`.execute(tx);
      await sql`delete from organization where id = ${id}`.execute(tx);
    },
  };
}

/** The root of an organization's tree bears its name. */
async function nameRoot({ id, values, previous }: Saved, tx: Tx): Promise<void> {
  if (values.name === undefined || values.name === previous?.name) return;
  const name = String(values.name);
  const root = await rootOf({ id, name }, tx);
  if (root.value !== name) await sql`update node set value = ${name} where id = ${root.id}`.execute(tx);
}

async function whatIsLeft(id: string, { language }: Context, tx: Tx): Promise<string[]> {
  const held: LocalText[] = [];
  const has = async (condition: ReturnType<typeof sql>) =>
    (await sql<{ found: boolean }>`select exists (${condition}) as found`.execute(tx)).rows[0]?.found === true;
  if (await has(sql`select 1 from organization_member where organization_id = ${id}`)) held.push({ en: 'members', zh: '成员' });
  for (const resource of RESOURCES.filter(({ name }) => HOLDS.includes(name))) {
    if (await has(sql`select 1 from ${sql.table(resource.table)} t where t.org_id = ${id}`))
      held.push({ en: `${resource.title.en.toLowerCase()}s`, zh: resource.title.zh });
  }
  return held.map((text) => say(text, language));
}
