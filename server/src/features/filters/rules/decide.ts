import { atOnce, type Sliced } from '../../../platform/slices.ts';
import type { CompiledRule } from './compile.ts';
import { spellingsOf } from './spellings.ts';

/** The result of rules for a line. */
export interface Decision {
  readonly isAllowed: boolean;
  /**
   * The deciding rule. Absent if no rule matches, which allows the line, and if the line cannot be
   * resolved, which denies it.
   */
  readonly rule?: CompiledRule;
  /** The matching part of the line. */
  readonly match?: string;
}

export const ALLOW = 1;

/** Returns true if the condition of a matching rule holds. */
export type Applies = (rule: CompiledRule) => boolean;
const ALWAYS: Applies = () => true;

/** Evaluation order of actions: deny, hold, confirm, warn, allow. */
const rankOf = (action: number) => (action === ALLOW ? 9 : action);

/** Lower is stricter. */
export const strictnessOf = ({ rule }: Decision): number => rankOf(rule?.action ?? ALLOW);

/** Sorts rules by evaluation order: highest priority first, strictest action first. */
export function inOrder<R extends Pick<CompiledRule, 'priority' | 'action' | 'id'>>(
  rules: readonly R[],
): R[] {
  return rules.toSorted(
    (one, other) =>
      other.priority - one.priority ||
      rankOf(one.action) - rankOf(other.action) ||
      (one.id < other.id ? -1 : 1),
  );
}

/**
 * The first matching rule decides. Without a match, the line is allowed (conformance 3.19).
 * Deny rules also examine the meanings of quotes, escapes and other disguises in the line. Allow
 * rules examine the literal line, so that a disguise cannot permit a denied command. A line that
 * cannot be resolved is denied.
 */
export function* deciding(
  rules: readonly CompiledRule[],
  line: string,
  applies = ALWAYS,
): Sliced<Decision> {
  if (rules.length === 0) return { isAllowed: true };
  const spellings = spellingsOf(line);
  return spellings
    ? yield* decidingSpelled(rules, [line], spellings, applies)
    : { isAllowed: false };
}

/** Like {@link deciding}, without slices, for a short line. */
export const decide = (rules: readonly CompiledRule[], line: string, applies = ALWAYS): Decision =>
  atOnce(deciding(rules, line, applies));

/**
 * Like {@link deciding}, for a text with given spellings. Allow rules examine `lines`, which all
 * have the same meaning. Deny rules examine `spellings`, which include them.
 */
export function* decidingSpelled(
  rules: readonly CompiledRule[],
  lines: readonly string[],
  spellings: readonly string[],
  applies = ALWAYS,
): Sliced<Decision> {
  // One check of all spellings together rules out most rules.
  const [line = ''] = lines;
  const together = spellings.length === 1 ? line : spellings.join('\n');
  const allowed = lines.length === 1 ? line : lines.join('\n');
  for (const rule of rules) {
    yield;
    if (!rule.mayFind(rule.action === ALLOW ? allowed : together)) continue;
    for (const spelling of rule.action === ALLOW ? lines : spellings) {
      const part = rule.find(spelling);
      if (part !== undefined && !applies(rule)) break;
      if (part !== undefined) return { isAllowed: rule.action !== 0, rule, match: part };
      yield;
    }
  }
  return { isAllowed: true };
}
