import {
  ACCOUNT_ROLE_LABELS,
  type LocalText,
  type OrganizationRole,
  say,
} from '@sallyport/contract';
import type { Caller } from '../../../platform/actor.ts';
import { type Sql, sql } from '../../../platform/db/sql.ts';
import { invalid } from '../../../platform/errors.ts';

const HERE: Readonly<Record<OrganizationRole, LocalText>> = {
  Admin: { en: 'Organization administrator', zh: '组织管理员' },
  Auditor: { en: 'Organization auditor', zh: '组织审计员' },
  User: { en: 'User', zh: '用户' },
};
const BY_WORD: Readonly<Record<string, OrganizationRole>> = {
  admins: 'Admin',
  auditors: 'Auditor',
  users: 'User',
};

const wordsOf = (labels: Readonly<Record<string, LocalText>>, { language }: Caller): Sql =>
  sql.join(
    Object.entries(labels).map(([role, label]) => sql`when ${role} then ${say(label, language)}`),
    sql` `,
  );

/**
 * Labels of the roles of an account (alias `t`) in the current organization; outside an
 * organization, its role in the installation.
 */
export function roleInWords(caller: Caller): Sql {
  const { id } = caller.actor.organization;
  if (id === '') return sql`(case t.role ${wordsOf(ACCOUNT_ROLE_LABELS, caller)} end)`;
  return sql`coalesce((
    select string_agg(case held.role ${wordsOf(HERE, caller)} end, ' | ' order by held.role)
    from organization_member held
    where held.organization_id::text = ${id} and held.user_id = t.id), '')`;
}

/**
 * Condition of the filter `org_role`: accounts with a role in the current organization, or all
 * members.
 * @throws Invalid
 */
export function hasRoleHere(value: string, { actor }: Caller): Sql {
  if (value === 'members') return sql`true`;
  const role = Object.hasOwn(BY_WORD, value) ? BY_WORD[value] : undefined;
  if (!role) throw invalid('org_role', 'not_choice', { value: value.slice(0, 64) });
  if (actor.organization.id === '') return sql`t.role = ${role}`;
  return sql`exists (
    select 1 from organization_member held
    where held.organization_id::text = ${actor.organization.id}
      and held.user_id = t.id and held.role = ${role})`;
}
