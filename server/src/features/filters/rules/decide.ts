import { atOnce, type Sliced } from '../../../platform/slices.ts';
import type { CompiledRule } from './compile.ts';
import { spellingsOf } from './spellings.ts';

/** What rules make of a line. */
export interface Decision {
  readonly isAllowed: boolean;
  /**
   * The rule that decided; absent when none names the line, which allows it, and when the line
   * cannot be resolved, which denies it.
   */
  readonly rule?: CompiledRule;
  /** The part of the line that it names. */
  readonly found?: string;
}

/**
 * Rules in the order in which they are looked at: the highest priority first, and deny before
 * allow.
 */
export function inOrder<R extends Pick<CompiledRule, 'priority' | 'action' | 'id'>>(
  rules: readonly R[],
): R[] {
  return rules.toSorted(
    (one, other) =>
      other.priority - one.priority || one.action - other.action || (one.id < other.id ? -1 : 1),
  );
}

/**
 * The first rule that names the line decides; without one the line is allowed (conformance 3.19).
 * Rules that deny also look at what quotes, escapes and the like in the line stand for; rules that
 * allow look at the line as it is, so that a spelling cannot open what is closed. A line that
 * cannot be resolved is denied.
 */
export function* deciding(rules: readonly CompiledRule[], line: string): Sliced<Decision> {
  if (rules.length === 0) return { isAllowed: true };
  const spellings = spellingsOf(line);
  return spellings ? yield* decidingSpelled(rules, [line], spellings) : { isAllowed: false };
}

/** The same at once, for a short line. */
export const decide = (rules: readonly CompiledRule[], line: string): Decision =>
  atOnce(deciding(rules, line));

/**
 * The same for a text with spellings of one's own: rules that allow look at `lines`, all of which
 * mean the same, and rules that deny at `spellings`, which contain them.
 */
export function* decidingSpelled(
  rules: readonly CompiledRule[],
  lines: readonly string[],
  spellings: readonly string[],
): Sliced<Decision> {
  // Most rules name none of the spellings, which one look at all of them tells.
  const [line = ''] = lines;
  const together = spellings.length === 1 ? line : spellings.join('\n');
  const allowed = lines.length === 1 ? line : lines.join('\n');
  for (const rule of rules) {
    yield;
    if (!rule.mayFind(rule.action === 0 ? together : allowed)) continue;
    for (const spelling of rule.action === 0 ? spellings : lines) {
      const found = rule.find(spelling);
      if (found !== undefined) return { isAllowed: rule.action !== 0, rule, found };
      yield;
    }
  }
  return { isAllowed: true };
}
