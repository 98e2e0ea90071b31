import type { Bus } from '../../platform/bus/bus.ts';
import type { Db } from '../../platform/db/database.ts';
import { inSlices, type Sliced } from '../../platform/slices.ts';
import { type CompiledRule, compileRule } from './rules/compile.ts';
import { type Decision, deciding, decidingSpelled } from './rules/decide.ts';
import { rulesOfAccount } from './store.ts';

/**
 * The accounts whose rules are kept ready; beyond this, those that were kept for the longest time
 * are read again.
 */
const MOST_KEPT = 2_000;

/** The rules in force, ready to decide. */
export interface CommandRules {
  /** Whether an account has rules; also true while that is not known yet. */
  has(systemUserId: string): boolean;
  /** Settles when `has` knows for certain. */
  known(systemUserId: string): Promise<unknown>;
  /**
   * What the rules of an account make of a text; one of several lines is allowed when each of them
   * is.
   */
  decide(systemUserId: string, text: string): Promise<Decision>;
  /**
   * What they make of one statement of a database, in one line, with what it means in other
   * spellings: rules look at each of them as they look at a line.
   */
  decideStatement(
    systemUserId: string,
    lines: readonly string[],
    spellings: readonly string[],
  ): Promise<Decision>;
}

interface Kept {
  readonly reading: Promise<readonly CompiledRule[]>;
  rules?: readonly CompiledRule[];
}

/**
 * Keeps the rules of accounts compiled until any rule, filter or binding changes: the next line is
 * decided by what is stored then.
 */
export function createCommandRules(db: Db, bus: Bus): CommandRules {
  let kept = new Map<string, Kept>();
  // What is still being read then was asked for before the change; nobody finds it in the new map.
  const forget = () => {
    kept = new Map();
  };
  bus.subscribe('command_filters', forget, forget);

  const read = (systemUserId: string): Kept => {
    const into = kept;
    const found = into.get(systemUserId);
    if (found) return found;
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
    async decideStatement(systemUserId, lines, spellings) {
      return inSlices(
        decidingSpelled(await rulesOf(systemUserId), lines, [...new Set([...lines, ...spellings])]),
      );
    },
    async decide(systemUserId, text) {
      const rules = await rulesOf(systemUserId);
      return inSlices(decidingLines(rules, text));
    },
  };
}

/** Lines are allowed when each of them is; blank ones decide nothing. */
function* decidingLines(rules: readonly CompiledRule[], text: string): Sliced<Decision> {
  let last: Decision = { isAllowed: true };
  for (const line of text.split(/\r\n|\r|\n/)) {
    yield;
    if (line.trim() !== '') last = yield* deciding(rules, line);
    if (!last.isAllowed) return last;
  }
  return last;
}
