import type { SweepAct } from '@sallyport/contract';
import type { Token } from './tokens.ts';

/** A statement that affects every row of its target, or removes the target. */
export interface Sweep {
  readonly act: SweepAct;
  /** As written in the statement; empty for all keys of Redis. */
  readonly target: string;
}

/** A part of a statement with its text. */
export type Part = Pick<Token, 'kind'> & { readonly text: string };

/** Words between the verb and its target. */
const FILLERS = new Set([
  'from',
  'only',
  'low_priority',
  'quick',
  'ignore',
  'table',
  'if',
  'exists',
  'concurrently',
]);
/** Words that limit an UPDATE or DELETE to some rows. */
const LIMITS = new Set(['where', 'limit', 'join']);
const MAX_TARGET = 128;

interface Scope {
  first: string;
  act?: 'update' | 'delete';
  at: number;
  isLimited: boolean;
}

/**
 * Recognizes UPDATE and DELETE without WHERE (also in a CTE), TRUNCATE and DROP. EXPLAIN without
 * ANALYZE runs nothing. Statements inside strings, such as those of DO or PREPARE, are not
 * recognized: this protects against slips, not against intent.
 */
export function sweepOf(parts: readonly Part[]): Sweep | undefined {
  const tokens = parts.filter(({ kind }) => kind !== 'blank');
  const first = wordOf(tokens[0]);
  if (first === 'truncate') return { act: 'truncate', target: targetAt(tokens, 1) };
  if (first === 'drop')
    return { act: 'drop', target: clip(tokens.slice(1).map(({ text }) => text)) };
  if (first === 'explain' && !tokens.some((token) => wordOf(token) === 'analyze')) return undefined;
  const scopes: Scope[] = [{ first: '', at: 0, isLimited: false }];
  const finish = (scope: Scope | undefined): Sweep | undefined =>
    scope?.act && !scope.isLimited
      ? { act: scope.act, target: targetAt(tokens, scope.at + 1) }
      : undefined;
  for (const [index, token] of tokens.entries()) {
    const scope = scopes.at(-1);
    if (token.text === '(') scopes.push({ first: '', at: index, isLimited: false });
    else if (token.text === ')') {
      const sweep = finish(scope);
      if (sweep) return sweep;
      if (scopes.length > 1) scopes.pop();
    } else if (scope && token.kind === 'word') read(scope, wordOf(token), index, tokens[index - 1]);
  }
  for (const scope of scopes.reverse()) {
    const sweep = finish(scope);
    if (sweep) return sweep;
  }
  return undefined;
}

/** Tokens before the verb of a statement that starts with WITH or EXPLAIN. */
const BEFORE_VERB = new Set([')', 'explain', 'analyze', 'verbose']);

/** A verb counts at the start of its scope, after EXPLAIN, and after the CTEs of WITH. */
function read(scope: Scope, word: string, index: number, before: Part | undefined): void {
  const isPrefixed = scope.first === 'with' || scope.first === 'explain';
  const isStart =
    scope.first === '' || (isPrefixed && BEFORE_VERB.has(before?.text.toLowerCase() ?? ''));
  if (scope.first === '') scope.first = word;
  if (isStart && !scope.act && (word === 'update' || word === 'delete')) {
    scope.act = word;
    scope.at = index;
  } else if (scope.act && LIMITS.has(word)) scope.isLimited = true;
}

const wordOf = (token: Part | undefined): string =>
  token?.kind === 'word' ? token.text.toLowerCase() : '';

/** The name that starts at a token, after filler words. */
function targetAt(tokens: readonly Part[], from: number): string {
  let at = from;
  while (FILLERS.has(wordOf(tokens[at]))) at += 1;
  const name = [tokens[at]?.text ?? ''];
  while (tokens[at + 1]?.text === '.' && tokens[at + 2]) {
    name.push('.', tokens[at + 2]?.text ?? '');
    at += 2;
  }
  return name.join('').slice(0, MAX_TARGET);
}

const clip = (words: readonly string[]): string =>
  words
    .join(' ')
    .replace(/ ?([.,()]) ?/g, '$1')
    .slice(0, MAX_TARGET);

/** Recognizes Redis commands that delete all keys. */
export function sweepOfCommand([name = '']: readonly string[]): Sweep | undefined {
  return /^flush(all|db)$/i.test(name) ? { act: 'flush', target: '' } : undefined;
}
