import type { Problem } from '@sallyport/contract';
import { patternProblem, regularExpressions } from '../../../platform/pattern.ts';
import { requiredLiteral } from './literal.ts';

/** A rule as it is stored. */
export interface RuleRow {
  readonly id: string;
  readonly type: 'command' | 'regex';
  readonly content: string;
  readonly priority: number;
  /** 0 deny, 1 allow. */
  readonly action: number;
  /** The name of its filter. */
  readonly filter: string;
}

/** A rule that is ready to look at lines. */
export interface CompiledRule extends RuleRow {
  /**
   * The part of a line that it names; `undefined` when there is none. Takes time in proportion to
   * the line, whatever the pattern.
   */
  readonly find: (line: string) => string | undefined;
  /** Whether it may name a part of any line of a text; false only where it surely names none. */
  readonly mayFind: (text: string) => boolean;
}

/** What is wrong with the content of a rule; `undefined` when it can be used. */
export function contentProblem(type: string, content: string): Problem | undefined {
  if (type !== 'regex') return commandsIn(content).length === 0 ? { code: 'blank' } : undefined;
  return patternProblem(content);
}

/**
 * Makes rules ready. A stored pattern that does not compile denies everything: it may have been
 * meant to deny anything.
 */
export function compileRule(rule: RuleRow): CompiledRule {
  if (rule.type === 'command') return { ...rule, ...findCommands(commandsIn(rule.content)) };
  if (contentProblem(rule.type, rule.content))
    return { ...rule, action: 0, find: (line) => line, mayFind: () => true };
  return { ...rule, ...findPattern(rule.content) };
}

const IGNORES_CASE = '(?i)';
// biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII
const ASCII = /^[\x00-\x7f]*$/;

/** The line that was looked at last, in lower case: a thousand rules look at the same one. */
let lowered = { line: '', lower: '' };

function lowerCase(line: string): string | undefined {
  // Beyond ASCII, letters match that are no lower case of each other.
  if (lowered.line !== line) lowered = { line, lower: ASCII.test(line) ? line.toLowerCase() : '' };
  return lowered.lower === '' ? undefined : lowered.lower;
}

/**
 * Whether a line may hold a match, by a text that each match has; a pattern without one looks at
 * each line.
 */
function mayHold(content: string): (line: string) => boolean {
  const ignoresCase = content.startsWith(IGNORES_CASE);
  const literal = requiredLiteral(ignoresCase ? content.slice(IGNORES_CASE.length) : content);
  if (literal === undefined) return () => true;
  if (!ignoresCase) return (line) => line.includes(literal);
  const lower = literal.toLowerCase();
  return (line) => lowerCase(line)?.includes(lower) ?? true;
}

function findPattern(content: string): Pick<CompiledRule, 'find' | 'mayFind'> {
  const pattern = regularExpressions().RE2JS.compile(content);
  const isPossible = mayHold(content);
  const find = (line: string) => {
    if (!isPossible(line) || !pattern.test(line)) return undefined;
    const match = pattern.matcher(line);
    return match.find() ? (match.group() ?? '') : undefined;
  };
  return { find, mayFind: isPossible };
}

/** The commands of a list, one in each line; blank lines are none. */
function commandsIn(content: string): string[] {
  return content
    .split(/\r\n|\r|\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

/**
 * Commands are literal: blanks match any blanks, no word goes on in front, and none behind where
 * the command ends with a letter.
 */
function findCommands(commands: readonly string[]): Pick<CompiledRule, 'find' | 'mayFind'> {
  const all = commands.map((command) => {
    const words = command.split(/\s+/);
    const last = words.at(-1) ?? '';
    const behind = /\p{L}$/u.test(last) ? '(?![\\p{L}\\p{N}_])' : '';
    const text = words.map((word) => word.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join('\\s+');
    // A boundary and literals with blanks between them: nothing here can be tried in more than one
    // way.
    return {
      first: words.reduce((best, word) => (word.length > best.length ? word : best), ''),
      pattern: new RegExp(`(?<![\\p{L}\\p{N}_])${text}${behind}`, 'u'),
    };
  });
  const find = (line: string) => {
    for (const { first, pattern } of all) {
      const found = line.includes(first) ? pattern.exec(line) : null;
      if (found) return found[0];
    }
    return undefined;
  };
  return { find, mayFind: (text) => all.some(({ first }) => text.includes(first)) };
}
