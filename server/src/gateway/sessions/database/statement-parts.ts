import type { DatabaseType } from '@sallyport/contract';
import { statementsOf } from '../../protocols/sql/statements.ts';

/** A statement and its position in the text. */
export interface StatementPart {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly words: readonly string[];
}

/** Splits a text into statements; with `at`, returns only the statement at that character. */
export function partsOf(
  text: string,
  type: DatabaseType | undefined,
  at: number | undefined,
): StatementPart[] {
  const parts =
    type === 'redis'
      ? linesOf(text)
      : statementsOf(text, type === 'postgresql' ? 'postgresql' : 'mysql');
  if (at === undefined) return [...parts];
  const part = parts.find(({ end }) => at <= end) ?? parts.at(-1);
  return part ? [part] : [];
}

/** Splits a Redis text into commands, one per line; lines that begin with # are comments. */
function linesOf(text: string): StatementPart[] {
  const parts: StatementPart[] = [];
  for (const match of text.matchAll(/[^\r\n]+/g)) {
    const line = match[0].trim();
    if (line === '' || line.startsWith('#')) continue;
    const start = match.index + match[0].indexOf(line);
    parts.push({ text: line, start, end: start + line.length, words: [] });
  }
  return parts;
}
