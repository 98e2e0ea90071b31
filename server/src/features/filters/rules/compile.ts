import type { Problem } from '@sallyport/contract';
import { RE2JS } from 're2js';
import { patternProblem } from '../../../platform/pattern.ts';
import { requiredLiteral } from './literal.ts';

/** A stored rule. */
export interface RuleRow {
  readonly id: string;
  readonly type: 'command' | 'regex';
  readonly content: string;
  readonly priority: number;
  /** 0: deny, 1: allow. */
  readonly action: number;
  /** Name of the filter. */
  readonly filter: string;
}

/** A compiled rule. */
export interface CompiledRule extends RuleRow {
  /**
   * Returns the part of a line that the rule matches. Runs in time proportional to the line, for
   * any pattern.
   */
  readonly find: (line: string) => string | undefined;
  /** Returns false only if no line of the text can match. */
  readonly mayFind: (text: string) => boolean;
}

/** Validates the content of a rule. Returns undefined if it is valid. */
export function contentProblem(type: string, content: string): Problem | undefined {
  if (type !== 'regex') return commandsIn(content).length === 0 ? { code: 'blank' } : undefined;
  return patternProblem(content);
}

/**
 * Compiles a rule. An invalid stored pattern denies everything, as it may have been meant to deny
 * anything.
 */
export function compileRule(rule: RuleRow): CompiledRule {
  if (rule.type === 'command') return { ...rule, ...findCommands(commandsIn(rule.content)) };
  if (contentProblem(rule.type, rule.content))
    return { ...rule, action: 0, find: (line) => line, mayFind: () => true };
  return { ...rule, ...findPattern(rule.content) };
}

const IGNORES_CASE = '(?i)';
// biome-ignore lint/suspicious/noControlCharactersInRegex: matches ASCII text
const ASCII = /^[\x00-\x7f]*$/;

/** Cache of the last line in lower case: a thousand rules examine the same line. */
let lowered = { line: '', lower: '' };

function lowerCaseOf(line: string): string | undefined {
  // Beyond ASCII, case-insensitive matches are not limited to lower-case equality.
  if (lowered.line !== line) lowered = { line, lower: ASCII.test(line) ? line.toLowerCase() : '' };
  return lowered.lower === '' ? undefined : lowered.lower;
}

/**
 * Returns a function that tests a line for a text that each match contains. Without such a text,
 * every line passes.
 */
function mayHold(content: string): (line: string) => boolean {
  const ignoresCase = content.startsWith(IGNORES_CASE);
  const literal = requiredLiteral(ignoresCase ? content.slice(IGNORES_CASE.length) : content);
  if (literal === undefined) return () => true;
  if (!ignoresCase) return (line) => line.includes(literal);
  const lower = literal.toLowerCase();
  return (line) => lowerCaseOf(line)?.includes(lower) ?? true;
}

function findPattern(content: string): Pick<CompiledRule, 'find' | 'mayFind'> {
  const pattern = RE2JS.compile(content);
  const isPossible = mayHold(content);
  const find = (line: string) => {
    if (!isPossible(line) || !pattern.test(line)) return undefined;
    const match = pattern.matcher(line);
    return match.find() ? (match.group() ?? '') : undefined;
  };
  return { find, mayFind: isPossible };
}

/** The commands of a list, one per line. Blank lines are ignored. */
function commandsIn(content: string): string[] {
  return content
    .split(/\r\n|\r|\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

/**
 * Compiles literal commands. A space matches any white space. No word character may precede the
 * command, nor follow one that ends with a letter.
 */
function findCommands(commands: readonly string[]): Pick<CompiledRule, 'find' | 'mayFind'> {
  const all = commands.map((command) => {
    const words = command.split(/\s+/);
    const last = words.at(-1) ?? '';
    const behind = /\p{L}$/u.test(last) ? '(?![\\p{L}\\p{N}_])' : '';
    const text = words.map((word) => word.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join('\\s+');
    // A boundary and literals separated by white space. No input causes backtracking.
    return {
      first: words.reduce((best, word) => (word.length > best.length ? word : best), ''),
      pattern: new RegExp(`(?<![\\p{L}\\p{N}_])${text}${behind}`, 'u'),
    };
  });
  const find = (line: string) => {
    for (const { first, pattern } of all) {
      const match = line.includes(first) ? pattern.exec(line) : null;
      if (match) return match[0];
    }
    return undefined;
  };
  return { find, mayFind: (text) => all.some(({ first }) => text.includes(first)) };
}
