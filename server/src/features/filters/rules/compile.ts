import type { ConditionTerms, Problem } from '@sallyport/contract';
import { RE2JS } from 're2js';
import { patternProblem } from '../../../platform/pattern.ts';

/** Shorter texts occur in nearly every line. */
const SHORTEST = 2;
/** Characters with a special meaning outside of brackets. */
const SPECIAL = new Set('.[](){}*+?|^$\\');

/**
 * The longest text that each match of a pattern contains, or undefined if none is certain. Lines
 * without it need no search, which skips most patterns. The result may be too short, but never
 * wrong.
 */
export function requiredLiteral(pattern: string): string | undefined {
  // Flags change the meaning of letters, and group names can contain any character.
  if (/\(\?[^:]/.test(pattern)) return undefined;
  const runs: string[] = [];
  let run: string[] = [];
  const end = () => {
    runs.push(run.join(''));
    run = [];
  };
  for (let at = 0; at < pattern.length; ) {
    // No alternative is certain. Alternatives inside a group are skipped with the group.
    if (pattern[at] === '|') return undefined;
    const part = nextPart(pattern, at);
    at += part.length;
    const quantifier = /^(?:[*+?]|\{\d+(?:,\d*)?\})\??/.exec(pattern.slice(at))?.[0] ?? '';
    at += quantifier.length;
    if (part.literal === undefined) end();
    else if (quantifier === '') run.push(part.literal);
    else if (quantifier.startsWith('+')) {
      run.push(part.literal);
      end();
    } else end();
  }
  end();
  const longest = runs.reduce((best, one) => (one.length > best.length ? one : best), '');
  return longest.length >= SHORTEST ? longest : undefined;
}

interface Part {
  readonly length: number;
  /** The character that it matches. Absent for anything else. */
  readonly literal?: string;
}

/** The next character, escape, class or group with its contents. */
function nextPart(pattern: string, at: number): Part {
  const char = pattern[at] ?? '';
  if (char === '\\') {
    const next = pattern[at + 1] ?? '';
    // Escaped letters and digits are classes, boundaries, codes or quotations. Codes and quotations
    // are not parsed further.
    if (/[a-z0-9]/i.test(next)) return { length: /[QpPxC]/.test(next) ? pattern.length - at : 2 };
    return { length: 2, literal: next };
  }
  if (char === '[') return { length: closing(pattern, at, ']') };
  if (char === '(') return { length: closing(pattern, at, ')') };
  if (SPECIAL.has(char)) return { length: 1 };
  return { length: 1, literal: char };
}

/** Length of a class or group. One that is hard to parse extends to the end of the pattern. */
function closing(pattern: string, from: number, last: ']' | ')'): number {
  let depth = 0;
  for (let at = from; at < pattern.length; at++) {
    const char = pattern[at];
    if (char === '\\') {
      // A quotation can contain anything.
      if (pattern[at + 1] === 'Q') return pattern.length - from;
      at++;
    } else if (char === '[') {
      if (last === ')') at += closing(pattern, at, ']') - 1;
      // A nested class such as [[:alpha:]], or a literal bracket.
      else if (depth++ > 0 || pattern[at + 1] === ']' || pattern.startsWith('^]', at + 1))
        return pattern.length - from;
    } else if (char === '(' && last === ')') depth++;
    else if (char === last && (last === ']' || --depth === 0)) return at + 1 - from;
  }
  return pattern.length - from;
}

/** A stored rule. */
export interface RuleRow {
  readonly id: string;
  readonly type: 'command' | 'regex';
  readonly content: string;
  readonly priority: number;
  /** 0: deny, 1: allow, 2: hold, 3: confirm, 4: warn. */
  readonly action: number;
  /** Sentence for the user; blank for the default. */
  readonly message: string;
  /** Word that confirms; blank for the name of the asset. */
  readonly word: string;
  /** Minutes that a held command waits. */
  readonly minutes: number;
  /** Name of the filter. */
  readonly filter: string;
  /** The condition of the rule; null: it always applies. */
  readonly terms: ConditionTerms | null;
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
