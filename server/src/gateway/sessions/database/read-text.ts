import type { DatabaseType } from '@sallyport/contract';
import { createSerial } from '../../../platform/gate.ts';
import { inSlices, type Sliced } from '../../../platform/slices.ts';
import { MAX_CHECKED, MAX_STATEMENT, MAX_STATEMENTS } from '../../limits.ts';
import type { SpelledStatement } from '../../ports/guard.ts';
import { isReadingCommand, spellCommand, wordsOfCommand } from '../../protocols/redis/commands.ts';
import {
  type CharacterSetChange,
  characterSetChange,
  worstOf,
} from '../../protocols/sql/character-set.ts';
import {
  endsTransaction,
  isMixed,
  isReadingOnly,
  runsPrepared,
} from '../../protocols/sql/reading-only.ts';
import { readMeanings } from '../../protocols/sql/readings.ts';
import { isModeRestored } from '../../protocols/sql/session-settings.ts';
import { cutStatements, readStatements, statementsOf } from '../../protocols/sql/statements.ts';
import { type Sweep, sweepOfCommand } from '../../protocols/sql/sweep.ts';
import type { Dialect } from '../../protocols/sql/tokens.ts';

/** Texts up to this many characters are read without queueing. */
const SMALL = 4096;
/** Maximum length of a statement that is read again for the log, without a pause. */
const MAX_NOTED = 16 * 1024;
const MAY_SWEEP = /update|delete|truncate|drop|flush/i;

/** A text of statements, parsed for the decision. */
export interface ReadText {
  /** All statements of every possible meaning, and the statements inside of them. */
  readonly meanings: readonly {
    readonly spelled: SpelledStatement;
    readonly isReading: boolean;
    readonly sweep: Sweep | undefined;
  }[];
  /** Statements of the usual meaning, for the log. */
  readonly statements: readonly string[];
  readonly characterSet: CharacterSetChange;
  /** True if a statement of the text ends a transaction. */
  readonly endsTransaction: boolean;
  /** True if a function could lift the read-only mode within the text, before its end. */
  readonly isMixed: boolean;
  /** True if it sets the modes of MySQL to a value that only the server knows. */
  readonly isModeRestored: boolean;
  /** True if it runs a statement that was prepared before. */
  readonly runsPrepared: boolean;
}

/** A text that needs no decision: its statements for the log, and those that affect every row. */
export interface CutText {
  readonly statements: readonly string[];
  readonly sweeps: readonly Sweep[];
}

const inTurn = createSerial();

/** Runs work on a text. Large texts of one user run one at a time. */
const forUser = <Result>(
  userId: string,
  text: string,
  work: () => Promise<Result>,
): Promise<Result> => (text.length > SMALL ? inTurn(userId, work) : work());

const dialectOf = (type: DatabaseType): Dialect => (type === 'postgresql' ? 'postgresql' : 'mysql');

/**
 * Parses a text in every meaning, in slices. Returns undefined if its meaning is unknown or takes
 * too much work. `account` is the one that signed in at the database.
 */
export function readText(
  userId: string,
  text: string,
  type: DatabaseType,
  account?: string,
): Promise<ReadText | undefined> {
  if (type === 'redis') return Promise.resolve(readRedis(text));
  const dialect = dialectOf(type);
  return forUser(userId, text, async () => {
    const readings = await inSlices(readMeanings(text, dialect, MAX_STATEMENTS));
    const all = readings?.flat();
    if (!all || all.length > MAX_STATEMENTS) return undefined;
    const meanings = all.flatMap((statement) => [
      { ...statement, isReading: isReadingOnly(statement, dialect, account) },
      // The words of the whole decide whether it only reads.
      ...(statement.inner ?? []).map((inner) => ({ ...inner, isReading: true })),
    ]);
    return {
      meanings,
      statements: readings?.[0]?.map((statement) => statement.text) ?? [],
      characterSet: worstOf(meanings.map((statement) => characterSetChange(statement, dialect))),
      endsTransaction: all.some(endsTransaction),
      isMixed: readings?.some((statements) => isMixed(statements, dialect)) === true,
      isModeRestored: dialect === 'mysql' && all.some(isModeRestored),
      runsPrepared: all.some(runsPrepared),
    };
  });
}

/**
 * Splits a text that needs no decision. Returns undefined if it has too many statements. A text
 * above MAX_STATEMENT is not parsed and gets one log entry.
 */
export async function cutText(
  userId: string,
  text: string,
  type: DatabaseType,
): Promise<CutText | undefined> {
  if (type === 'redis' || text.length > MAX_STATEMENT) return { statements: [text], sweeps: [] };
  return forUser(userId, text, () => inSlices(cutting(text, dialectOf(type))));
}

function* cutting(text: string, dialect: Dialect): Sliced<CutText | undefined> {
  const statements = yield* cutStatements(text, dialect, MAX_STATEMENTS);
  if (!statements) return undefined;
  const sweeps: Sweep[] = [];
  // A longer statement has conditions or values, so it does not affect every row.
  for (const statement of statements)
    if (statement.length <= MAX_CHECKED && MAY_SWEEP.test(statement))
      for (const { sweep } of (yield* readStatements(statement, dialect)) ?? [])
        if (sweep) sweeps.push(sweep);
  return { statements, sweeps };
}

/** Returns true if a statement affects every row, for its entry in the log; false for long ones. */
export function isSweeping(statement: string, type: DatabaseType): boolean {
  if (statement.length > MAX_NOTED || !MAY_SWEEP.test(statement)) return false;
  if (type === 'redis') return sweepOfCommand(wordsOfCommand(statement) ?? []) !== undefined;
  return statementsOf(statement, dialectOf(type)).some(({ sweep }) => sweep);
}

function readRedis(text: string): ReadText {
  const words = wordsOfCommand(text);
  const meanings =
    words === undefined
      ? []
      : [
          {
            spelled: spellCommand(words),
            isReading: isReadingCommand(words),
            sweep: sweepOfCommand(words),
          },
        ];
  return {
    meanings,
    statements: [text],
    characterSet: 'none',
    endsTransaction: false,
    isMixed: false,
    isModeRestored: false,
    runsPrepared: false,
  };
}
