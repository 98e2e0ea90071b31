import {
  type Circumstances,
  type LocalText,
  type SignInRule,
  signInEnd,
  signInRefusals,
} from '@sallyport/contract';
import { systemCaller } from '../../../platform/actor.ts';
import { databaseClock } from '../../../platform/clock.ts';
import type { Db, Tx } from '../../../platform/db/database.ts';

import { executePrepared, type Sql, sql } from '../../../platform/db/sql.ts';
import { writeOperateLog } from '../../audits/index.ts';

/** The active rules of account `a` as JSON (SignInRule[]); null without any. */
export const RULES_OF_ACCOUNT = sql`(
  select jsonb_agg(to_jsonb(rule) order by rule.name) from sign_in_rule rule
  where rule.is_active and (rule.everyone
    or rule.roles & case a.role when 'Admin' then 1 when 'Auditor' then 2 else 4 end <> 0
    or (rule.roles & 24 <> 0 and exists (
      select from organization_member member where member.user_id = a.id
        and rule.roles & case member.role
          when 'Admin' then 8 when 'Auditor' then 16 else 0 end <> 0))
    or exists (select from sign_in_rule_users link
      where link.sign_in_rule_id = rule.id and link.user_id = a.id)
    or exists (select from sign_in_rule_user_groups link
        join user_group_users member on member.user_group_id = link.user_group_id
      where link.sign_in_rule_id = rule.id and member.user_id = a.id)))`;

/** Column with the rules of an account. */
export interface RuleColumn {
  readonly sign_in_rules: readonly SignInRule[] | null;
}

/** Returns the circumstances of a sign-in now. */
export const signInCircumstances = (
  remoteAddress: string | null,
  kind: 'browser' | 'bearer' | 'ssh' | 'access-key' | 'agent',
): Circumstances => ({
  address: remoteAddress,
  client: kind === 'ssh' ? 'ssh' : 'web',
  now: databaseClock.now(),
});

/** The sign-in rules of a connection under its circumstances. */
export interface SignInState {
  /** Empty if the sign-in is allowed. */
  readonly refusals: readonly LocalText[];
  /** Time (ms) at which a rule may refuse it, or infinity. */
  readonly endsAt: number;
}

/** The rules of a sign-in and its proofs. */
export interface SignInFacts {
  readonly rules: readonly SignInRule[] | null;
  /** True if the sign-in has proved a second factor. */
  readonly has_factor: boolean;
}

/** Expression for the {@link SignInFacts} of a user's sign-in, as JSON. */
export const signInFacts = (userId: string, loginId: string): Sql => sql`(
  select json_build_object('rules', ${RULES_OF_ACCOUNT}, 'has_factor', exists (
    select from web_session s where s.id = ${loginId}::uuid and s.mfa_verified is not null))
  from account a where a.id = ${userId}::uuid)`;

/** Reads the facts of a user's sign-in. */
export async function signInFactsOf(
  db: Db,
  userId: string,
  loginId: string,
): Promise<SignInFacts | null> {
  const query = sql<{ facts: SignInFacts | null }>`
    select ${signInFacts(userId, loginId)} as facts`;
  return (await executePrepared(query, db))[0]?.facts ?? null;
}

/** Judges the rules of a sign-in. */
export function signInState(facts: SignInFacts | null, circumstances: Circumstances): SignInState {
  if (!facts?.rules) return { refusals: [], endsAt: Number.POSITIVE_INFINITY };
  return {
    refusals: signInRefusals(facts.rules, circumstances, facts.has_factor),
    endsAt: signInEnd(facts.rules, circumstances, facts.has_factor),
  };
}

/** Returns the active rules of an account. */
export async function rulesOf(userId: string, on: Db | Tx): Promise<readonly SignInRule[]> {
  const { rows } = await sql<RuleColumn>`
    select ${RULES_OF_ACCOUNT} as sign_in_rules from account a where a.id = ${userId}::uuid`.execute(
    on,
  );
  return rows[0]?.sign_in_rules ?? [];
}

/**
 * Deactivates all sign-in rules on behalf of the operator of the machine. Returns their names.
 */
export function suspendSignInRules(db: Db): Promise<readonly string[]> {
  return db.transaction(async (tx) => {
    const { rows } = await sql<{ id: string; name: string }>`
      update sign_in_rule set is_active = false where is_active returning id, name`.execute(tx);
    await writeOperateLog(
      tx,
      systemCaller('Command line', '127.0.0.1'),
      ...rows.map(({ id, name }) => ({
        action: 'update' as const,
        resourceType: 'sign_in_rule',
        resource: name,
        resourceId: id,
        changes: { is_active: [true, false] as const },
      })),
    );
    return rows.map(({ name }) => name);
  });
}
