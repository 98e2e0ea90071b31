import {
  ACCOUNT_ROLE_LABELS,
  type AccountRole,
  type DutyOrNone,
  type LocalText,
  type OrganizationRole,
  Permission,
  say,
} from '@sallyport/contract';
import { type Caller, externalSourceOf, FIRST_ADMINISTRATOR } from '../../../platform/actor.ts';
import type { Db, Tx } from '../../../platform/db/database.ts';
import { type Sql, sql } from '../../../platform/db/sql.ts';
import { invalid } from '../../../platform/errors.ts';
import type { StoredRow, Values } from '../../../resources/hooks.ts';
import type { AccountChange, PolicyActor, PolicyTarget } from '../policy.ts';

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

/**
 * Accounts of a role and a duty that can sign in with an enrolled second factor, other than account
 * `t`.
 */
const hasHolder = (role: AccountRole, ...duties: DutyOrNone[]): Sql => sql`exists (
  select 1 from account holder where holder.id <> t.id and holder.role = ${role}
    and holder.duty = any (${duties})
    and holder.is_active and coalesce(holder.date_expired > now(), true)
    and (exists (select 1 from totp where totp.user_id = holder.id)
      or exists (select 1 from passkey where passkey.user_id = holder.id)))`;

/** Data that the policy needs about the account with alias `t`, as one JSON value. */
export const FACTS = (): Sql => sql`jsonb_build_object(
    'id', t.id, 'username', t.username, 'role', t.role, 'source', t.source,
    'home', t.home_organization_id,
    'isControlled', exists (select 1 from change_control where org_id = '')
      and (t.role <> 'User' or exists (
        select 1 from organization_member o where o.user_id = t.id and o.role <> 'User')),
    'isSealable', case when t.username = ${FIRST_ADMINISTRATOR}
      then (${hasHolder('Admin', '')}
          or ${hasHolder('Admin', 'system')} and ${hasHolder('Admin', 'security')})
        and ${hasHolder('Auditor', '', 'audit')} else false end,
    'members', coalesce((
      select jsonb_agg(jsonb_build_object('organization', m.organization_id, 'role', m.role))
      from organization_member m where m.user_id = t.id), '[]'))`;

/** Returns the data that the policy needs about the caller. */
export function policyActor({ actor }: Pick<Caller, 'actor'>): PolicyActor {
  return {
    id: actor.userId,
    isSuper: actor.role === 'Admin' && actor.isValid,
    duty: actor.duty,
    isOperator: actor.session.kind === 'system',
    administers: (actor.permissions & Permission.ADMIN) !== 0,
    organizationId: actor.organization.id,
    source: externalSourceOf(actor),
    provisions: actor.session.source !== undefined,
  };
}

/** Returns the policy data of an account; undefined for an unknown id. */
export async function factsOf(id: string, db: Db | Tx): Promise<PolicyTarget | undefined> {
  const { rows } = await sql<{
    facts: PolicyTarget;
  }>`select ${FACTS()} as facts from account t where t.id = ${id}`.execute(db);
  return rows[0]?.facts;
}

const CHANGE_OF_FIELD: Readonly<Record<string, AccountChange>> = {
  name: 'name',
  username: 'username',
  email: 'email',
  role: 'role',
  duty: 'role',
  source: 'source',
  password: 'password',
  password_strategy: 'password',
  public_key: 'public_key',
  mfa_level: 'mfa_level',
  is_active: 'is_active',
  date_expired: 'date_expired',
  groups: 'groups',
};

/**
 * Returns the fields of a body that change an account, each with its kind of change. A value equal
 * to the stored one changes nothing.
 */
export function changesOf(
  values: Values,
  previous: StoredRow,
): readonly (readonly [field: string, change: AccountChange])[] {
  return Object.keys(values).flatMap((field): (readonly [string, AccountChange])[] =>
    isSame(field, values[field], previous[field])
      ? []
      : [[field, CHANGE_OF_FIELD[field] ?? 'describe']],
  );
}

function isSame(field: string, value: unknown, before: unknown): boolean {
  if (field === 'id' || field === 'password_strategy') return true;
  if (field === 'password' || field === 'public_key') return !value;
  // Dates lose their fraction of a second on the wire.
  if (value instanceof Date && before instanceof Date)
    return Math.abs(value.getTime() - before.getTime()) < 1_000;
  return Array.isArray(value)
    ? JSON.stringify(value.toSorted()) === JSON.stringify([before].flat().toSorted())
    : value === before;
}
