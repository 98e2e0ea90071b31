import {
  commandFilterRule,
  type FieldProblems,
  RULE_CONFIRM,
  RULE_HOLD,
  RULE_WARN,
} from '@sallyport/contract';
import type { Caller } from '../../platform/actor.ts';
import type { Db } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import { Invalid, invalid } from '../../platform/errors.ts';
import type { ResourceEngine } from '../../resources/engines.ts';
import type { WriteOptions } from '../../resources/write/unit-of-work.ts';
import { fieldProblems } from './objects.ts';

/** Words of a file for the action of a rule. */
const ACTIONS: Readonly<Record<string, number>> = {
  deny: 0,
  allow: 1,
  hold: RULE_HOLD,
  confirm: RULE_CONFIRM,
  warn: RULE_WARN,
};
const wordOf = (action: unknown) =>
  Object.keys(ACTIONS).find((word) => ACTIONS[word] === action) ?? String(action);

type Rule = Readonly<Record<string, unknown>>;
const keyOf = ({ type = 'command', content }: Rule) => `${type} ${content}`;

export interface RulesOfFilter {
  readonly engine: ResourceEngine;
  readonly caller: Caller;
  readonly tx: Db;
  readonly filter: string;
}

const below = ({ caller, filter }: RulesOfFilter): Caller => ({
  ...caller,
  within: { [commandFilterRule.name]: filter },
});

async function storedRules(source: RulesOfFilter) {
  const { engine, tx, filter } = source;
  const { rows } = await sql<{ id: string }>`
    select id from command_filter_rule where filter_id = ${filter}::uuid
    order by priority desc, type, content, id`.execute(tx);
  return engine.reader.rows(
    rows.map(({ id }) => id),
    below(source),
    tx,
  );
}

/** Returns the rules of a filter as `replaceRules` takes them. */
export async function readRulesOf(source: RulesOfFilter): Promise<Rule[]> {
  return (await storedRules(source)).map(
    ({
      type,
      content,
      action,
      priority,
      message,
      word,
      minutes,
      is_active: isActive,
      comment,
    }) => ({
      ...{ type, content, action, priority, message, word, minutes, comment },
      is_active: isActive,
    }),
  );
}

/** Describes the rules of a filter, one text per rule, in a fixed order. */
export async function rulesInWords(source: RulesOfFilter): Promise<string[]> {
  return (await storedRules(source)).map(
    ({ type, content, action, priority, message, word, minutes, is_active: isActive, comment }) =>
      [
        `${wordOf(action)} ${type} ${JSON.stringify(content)}`,
        `priority ${priority}`,
        ...(message ? [`message ${JSON.stringify(message)}`] : []),
        ...(word ? [`word ${JSON.stringify(word)}`] : []),
        ...(action === RULE_HOLD ? [`${minutes} minutes`] : []),
        ...(isActive ? [] : ['inactive']),
        ...(comment ? [String(comment)] : []),
      ].join(', '),
  );
}

function readRules(wanted: unknown): Rule[] {
  if (!Array.isArray(wanted)) throw invalid('rules', 'not_list');
  const seen = new Set<string>();
  return wanted.map((rule: unknown, index) => {
    if (typeof rule !== 'object' || rule === null || Array.isArray(rule))
      throw invalid(`rules.${index}`, 'not_object');
    const body = rule as Rule;
    throwBelow(index, fieldProblems(commandFilterRule, body));
    const key = keyOf(body);
    if (seen.has(key))
      throw invalid(`rules.${index}`, 'list_duplicate', { value: String(body.content) });
    seen.add(key);
    const action = typeof body.action === 'string' ? ACTIONS[body.action] : undefined;
    return { ...body, ...(action !== undefined && { action }) };
  });
}

function throwBelow(index: number, problems: FieldProblems): void {
  const entries = Object.entries(problems).map(([field, list]) => [
    `rules.${index}.${field}`,
    list,
  ]);
  if (entries.length > 0) throw new Invalid(Object.fromEntries(entries));
}

/**
 * Gives a filter exactly the wanted rules. Rules with the same type and content keep their id.
 * @throws Invalid with fields such as `rules.2.priority`
 */
export async function replaceRules(
  source: RulesOfFilter,
  wanted: unknown,
  options: WriteOptions,
): Promise<void> {
  const { writer } = source.engine;
  const rules = readRules(wanted);
  const stored = new Map((await storedRules(source)).map((row) => [keyOf(row), String(row.id)]));
  const kept = rules.flatMap((rule) => stored.get(keyOf(rule)) ?? []);
  const removed = [...stored.values()].filter((id) => !kept.includes(id));
  if (removed.length > 0) await writer.remove(removed, below(source), options);
  const drafts = rules.map((body) => {
    const id = stored.get(keyOf(body));
    return id === undefined
      ? { body, mode: 'create' as const }
      : { id, body, mode: 'change' as const };
  });
  const outcome = await writer.save(drafts, below(source), options);
  if (!outcome.ok)
    for (const [index, problems] of outcome.problems.entries()) throwBelow(index, problems);
}
