import { type Circumstances, conditionHolds } from '@sallyport/contract';
import type { Bus } from '../../platform/bus/bus.ts';
import type { Db } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import { inSlices, type Sliced } from '../../platform/slices.ts';
import { type CompiledRule, compileRule, type RuleRow } from './rules/compile.ts';
import {
  ALLOW,
  type Applies,
  type Decision,
  deciding,
  decidingSpelled,
  strictnessOf,
} from './rules/decide.ts';

/** Parts of the condition of a rule (alias `r`); null without one. */
const TERMS = sql`case when r.condition_id is not null
  then coalesce(condition_terms(r.condition_id), '{}') end`;

/** Evaluation order of the actions of rules (alias `r`) with the same priority: strictest first. */
const STRICTNESS = sql`case r.action when 1 then 9 else r.action end`;

/** The circumstances of a command. */
export interface CommandCircumstances extends Omit<Circumstances, 'factorAt'> {
  /** Reads the time (ms) of the last second factor; null if there was none. */
  readonly factorAt: () => Promise<number | null>;
}

/** Maximum accounts with cached rules. Beyond it, the oldest are read again. */
const MOST_KEPT = 2_000;

/** The active rules, compiled. */
export interface CommandRules {
  /** Returns true if an account has rules, or if that is not known yet. */
  has(systemUserId: string): boolean;
  /** Resolves once `has` is certain. */
  known(systemUserId: string): Promise<unknown>;
  /** Evaluates the rules of an account for a text. Several lines are allowed if each of them is. */
  decide(
    systemUserId: string,
    text: string,
    circumstances: CommandCircumstances,
  ): Promise<Decision>;
  /** Evaluates the rules for a database statement in one line, and for its other spellings. */
  decideStatement(
    systemUserId: string,
    statement: { readonly lines: readonly string[]; readonly spellings: readonly string[] },
    circumstances: CommandCircumstances,
  ): Promise<Decision>;
}

interface Kept {
  readonly reading: Promise<readonly CompiledRule[]>;
  rules?: readonly CompiledRule[];
}

/**
 * Caches the compiled rules of accounts until any rule, filter or binding changes. The next line
 * then uses the stored rules.
 */
export function createCommandRules(db: Db, bus: Bus): CommandRules {
  let kept = new Map<string, Kept>();
  // Reads that started before the change are dropped: they are not in the new map.
  const forget = () => {
    kept = new Map();
  };
  bus.subscribe('command_filters', forget, forget);

  const read = (systemUserId: string): Kept => {
    const into = kept;
    const existing = into.get(systemUserId);
    if (existing) return existing;
    const fresh: Kept = {
      reading: rulesOfAccount(systemUserId, db).then((rows) => rows.map(compileRule)),
    };
    fresh.reading.then(
      (rules) => {
        fresh.rules = rules;
      },
      () => into.delete(systemUserId),
    );
    into.set(systemUserId, fresh);
    const [oldest] = into.keys();
    if (into.size > MOST_KEPT && oldest !== undefined) into.delete(oldest);
    return fresh;
  };

  const rulesOf = async (systemUserId: string) => {
    const account = read(systemUserId);
    return account.rules ?? (await account.reading);
  };

  return {
    has: (systemUserId) => read(systemUserId).rules?.length !== 0,
    known: (systemUserId) => rulesOf(systemUserId),
    async decideStatement(systemUserId, { lines, spellings }, circumstances) {
      const rules = await rulesOf(systemUserId);
      const applies = await judge(rules, circumstances);
      const all = [...new Set([...lines, ...spellings])];
      return inSlices(decidingSpelled(rules, lines, all, applies));
    },
    async decide(systemUserId, text, circumstances) {
      const rules = await rulesOf(systemUserId);
      return inSlices(decidingLines(rules, text, await judge(rules, circumstances)));
    },
  };
}

/**
 * Returns the judge of the conditions of rules. If it is unknown whether one holds, a rule that
 * denies applies and one that allows does not.
 */
async function judge(
  rules: readonly CompiledRule[],
  { factorAt, ...known }: CommandCircumstances,
): Promise<Applies> {
  const needsFactor = rules.some(({ terms }) => terms !== null && terms.factor_minutes > 0);
  const circumstances = { ...known, ...(needsFactor && { factorAt: await factorAt() }) };
  return ({ terms, action }) =>
    terms === null || (conditionHolds(terms, circumstances) ?? action !== ALLOW);
}

/** Lines are allowed if each of them is. Blank lines are ignored. */
function* decidingLines(
  rules: readonly CompiledRule[],
  text: string,
  applies: Applies,
): Sliced<Decision> {
  let strictest: Decision = { isAllowed: true };
  for (const line of text.split(/\r\n|\r|\n/)) {
    yield;
    if (line.trim() === '') continue;
    const decision = yield* deciding(rules, line, applies);
    if (!decision.isAllowed) return decision;
    if (strictnessOf(decision) < strictnessOf(strictest)) strictest = decision;
  }
  return strictest;
}

/** The active rules of the active filters of a system user. */
async function rulesOfAccount(systemUserId: string, db: Db): Promise<readonly RuleRow[]> {
  const { rows } = await sql<RuleRow>`
    select r.id, r.type, r.content, r.priority, r.action, r.message, r.word,
      r.minutes, f.name as filter, ${TERMS} as terms
    from command_filter_system_users link join command_filter f on f.id = link.command_filter_id
      join command_filter_rule r on r.filter_id = f.id
    where link.system_user_id = ${systemUserId} and f.is_active and r.is_active
    order by r.priority desc, ${STRICTNESS}, r.id`.execute(db);
  return rows;
}

/** The active rules of a filter, which itself may be inactive. */
export async function rulesOfFilter(filterId: string, db: Db): Promise<readonly RuleRow[]> {
  const { rows } = await sql<RuleRow>`
    select r.id, r.type, r.content, r.priority, r.action, r.message, r.word,
      r.minutes, f.name as filter, ${TERMS} as terms
    from command_filter f join command_filter_rule r on r.filter_id = f.id
    where f.id = ${filterId} and r.is_active order by r.priority desc, ${STRICTNESS}, r.id`.execute(
    db,
  );
  return rows;
}

/** The ids of all rules in the filters of a system user, in evaluation order. */
export async function ruleIdsOfAccount(systemUserId: string, db: Db): Promise<readonly string[]> {
  const { rows } = await sql<{ id: string }>`
    select r.id from command_filter_system_users link
      join command_filter_rule r on r.filter_id = link.command_filter_id
    where link.system_user_id = ${systemUserId} order by r.priority desc, ${STRICTNESS}, r.id`.execute(
    db,
  );
  return rows.map(({ id }) => id);
}
