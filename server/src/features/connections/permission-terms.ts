import type { Circumstances } from '@sallyport/contract';
import type { Grant } from '../../gateway/ports/grant.ts';
import type { Arriving } from '../../gateway/ports/people.ts';
import { Refusal } from '../../gateway/refusal.ts';
import { databaseClock } from '../../platform/clock.ts';
import type { Db } from '../../platform/db/database.ts';
import { type Sql, sql } from '../../platform/db/sql.ts';
import { type SignInFacts, signInFactsOf, signInState } from '../identity/index.ts';
import {
  connects,
  type GrantedAccount,
  type GrantKind,
  joinReasons,
  judge,
  needsFactorTime,
} from '../perms/index.ts';

/** Columns of a permission with its own MFA interval. Remote apps have none. */
const OWN_MINUTES: Readonly<Record<GrantKind['rule'], Sql>> = {
  asset_permission: sql`nullif(p.mfa_minutes, 0)`,
  remote_app_permission: sql`null::integer`,
  database_app_permission: sql`nullif(p.mfa_minutes, 0)`,
  cluster_permission: sql`null::integer`,
};

/** MFA interval of a permission `p` and its condition `c`, the stricter one; null without one. */
const minutesOf = (table: GrantKind['rule']): Sql => sql`least(${OWN_MINUTES[table]},
    case when not c.factor_excluded then nullif(c.factor_minutes, 0) end)`;

/** MFA intervals by permission; null if none has one. */
export type MinutesByRule = Readonly<Record<string, number>> | null;

/** Selects the MFA intervals of the permissions `granted.rules`. */
export const MINUTES_BY_RULE: Sql = sql`(
  select json_object_agg(terms.id, terms.minutes) from (
    select p.id, ${minutesOf('asset_permission')} as minutes
    from asset_permission p left join condition c on c.id = p.condition_id
    where p.id = any(granted.rules)) terms where terms.minutes is not null)`;

/** Minutes of the approvals that permissions ask for, by permission; null if none does. */
export const APPROVALS_BY_RULE: Sql = sql`(
  select json_object_agg(p.id, p.approval_minutes) from asset_permission p
  where p.id = any(granted.rules) and p.needs_approval and not exists (
    select from emergency_activation e where e.permission_id = any(granted.rules)))`;

/** The permissions that ask for a reviewer who watches; null if none does. */
export const WATCHED_RULES: Sql = sql`(
  select json_agg(p.id) from asset_permission p
  where p.id = any(granted.rules) and p.needs_watcher and not exists (
    select from emergency_activation e where e.permission_id = any(granted.rules)))`;

/** End of the emergency access among the permissions `granted.rules`; null without one. */
export const INSTANT_UNTIL: Sql = sql`(
  select max(p.date_expired) from emergency_activation e
    join asset_permission p on p.id = e.permission_id where p.id = any(granted.rules))`;

/**
 * Returns the second person that permissions ask for. Permissions without one cannot relax another;
 * emergency access opens at once.
 */
export function secondPersonOf(
  all: readonly string[] | null,
  rules: readonly string[],
): Pick<Grant, 'secondPerson'> {
  const ruleIds = rules.filter((rule) => all?.includes(rule));
  return ruleIds.length > 0 ? { secondPerson: { ruleIds } } : {};
}

/**
 * Returns the approval that permissions ask for. Permissions without one cannot relax another;
 * emergency access opens at once.
 */
export function approvalOf(all: MinutesByRule, rules: readonly string[]): Pick<Grant, 'approval'> {
  const ruleIds = rules.filter((rule) => all?.[rule] !== undefined);
  if (ruleIds.length === 0) return {};
  return {
    approval: { ruleIds, minutes: Math.min(...ruleIds.map((rule) => all?.[rule] ?? 0)) },
  };
}

/**
 * Returns the strictest MFA interval of permissions. Permissions without one are ignored, so they
 * cannot relax another.
 */
export function strictestOf(all: MinutesByRule, rules: readonly string[]): number | undefined {
  const minutes = rules.flatMap((rule) => all?.[rule] ?? []);
  return minutes.length > 0 ? Math.min(...minutes) : undefined;
}

/** Returns the strictest MFA interval of permissions and their conditions, and their approval. */
export async function connectionTerms(
  db: Db,
  rules: readonly string[],
  table: GrantKind['rule'] = 'asset_permission',
): Promise<Pick<Grant, 'factorMinutes' | 'approval'>> {
  const { rows } = await sql<{ minutes: number | null; approvals: MinutesByRule }>`
  select min(${minutesOf(table)}) as minutes,
    json_object_agg(p.id, p.approval_minutes) filter (where p.needs_approval) as approvals
  from ${sql.table(table)} p left join condition c on c.id = p.condition_id
  where p.id = any(${rules}::uuid[])`.execute(db);
  const { minutes = null, approvals = null } = rows[0] ?? {};
  return { ...(minutes && { factorMinutes: minutes }), ...approvalOf(approvals, rules) };
}

const CLIENT_OF = {
  WT: 'web',
  ST: 'ssh',
  DT: 'database',
  KT: 'kubernetes',
} as const;

/** Returns the circumstances of a person now, except for the second factor. */
export const clientOf = ({
  remoteAddr,
  loginFrom,
  forwardPort,
}: Pick<Arriving, 'remoteAddr' | 'loginFrom' | 'forwardPort'>): Omit<
  Circumstances,
  'factorAt'
> => ({
  address: remoteAddr,
  client: CLIENT_OF[loginFrom],
  ...(forwardPort !== undefined && { forwardPort }),
  now: databaseClock.now(),
});

/**
 * Returns the account with the permissions whose conditions hold for the person now. `facts`: those
 * of the sign-in, if they were read before.
 * @throws Refusal connect_denied, or connect_condition with the conditions that do not hold
 */
export async function judged(
  db: Db,
  person: Arriving,
  granted: GrantedAccount | undefined,
  facts?: SignInFacts | null,
): Promise<{ readonly account: GrantedAccount; readonly changesAt: Pick<Grant, 'changesAt'> }> {
  const circumstances: Circumstances = {
    ...clientOf(person),
    ...(needsFactorTime(granted) && { factorAt: await factorTime(db, person.loginId) }),
  };
  const { account, refusals, changesAt } = judge(granted, circumstances);
  // Only granted users learn a reason.
  const endsAt = granted
    ? signInEnds(facts ?? (await factsOf(db, person)), circumstances)
    : Number.POSITIVE_INFINITY;
  if (account && connects(account))
    return {
      account: Number.isFinite(endsAt) ? endingAt(account, endsAt) : account,
      changesAt: Number.isFinite(changesAt) ? { changesAt: new Date(changesAt) } : {},
    };
  if (refusals.length === 0) throw new Refusal('connect_denied');
  throw new Refusal('connect_condition', { reason: joinReasons(refusals) });
}

/** Work without a sign-in, such as a scheduled one, has no rules. */
const factsOf = async (db: Db, { userId, loginId }: Arriving) =>
  loginId === undefined ? null : signInFactsOf(db, userId, loginId);

/**
 * Returns the time (ms) at which the sign-in rules of a connection may refuse it, or infinity.
 * @throws Refusal connect_condition
 */
function signInEnds(facts: SignInFacts | null, circumstances: Circumstances): number {
  const { refusals, endsAt } = signInState(facts, circumstances);
  if (refusals.length === 0) return endsAt;
  throw new Refusal('connect_condition', { reason: joinReasons(refusals) });
}

const endingAt = (account: GrantedAccount, endsAt: number): GrantedAccount => ({
  ...account,
  validUntil: new Date(Math.min(account.validUntil.getTime(), endsAt)),
});

/** Time (ms) of the last second factor of a sign-in; null if there was none. */
export async function factorTime(db: Db, loginId: string | undefined): Promise<number | null> {
  if (loginId === undefined) return null;
  const { rows } = await sql<{ date: Date }>`select mfa_verified as date from web_session
    where id = ${loginId}::uuid and mfa_verified is not null`.execute(db);
  return rows[0]?.date.getTime() ?? null;
}
