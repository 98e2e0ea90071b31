import type { DatabaseType } from '@sallyport/contract';
import { createSerial } from '../../../platform/serial.ts';
import { inSlices, type Sliced } from '../../../platform/slices.ts';
import { MAX_CHECKED, MAX_STATEMENT, MAX_STATEMENTS } from '../../limits.ts';
import type { SpelledStatement } from '../../ports/guard.ts';
import { isReadingCommand, spellCommand, wordsOfCommand } from '../../protocols/redis/commands.ts';
import {
  type CharacterSetChange,
  characterSetChange,
  worstOf,
} from '../../protocols/sql/character-set.ts';
import { isReadingOnly } from '../../protocols/sql/reading-only.ts';
import { readMeanings } from '../../protocols/sql/readings.ts';
import { cutStatements, readStatements, statementsOf } from '../../protocols/sql/statements.ts';
import { type Sweep, sweepOfCommand } from '../../protocols/sql/sweep.ts';
import type { Dialect } from '../../protocols/sql/tokens.ts';

/** Characters of a text that takes no time worth a turn of its own. */
const SMALL = 4096;
/** Maximum length of a statement that is read again for the log, without a pause. */
const MAX_NOTED = 16 * 1024;
/** Statements without these words need no second look. */
const MAY_SWEEP = /update|delete|truncate|drop|flush/i;

/** A text of statements as a session decides on it. */
export interface ReadText {
  /** Every statement of every meaning. */
  readonly meanings: readonly {
    readonly spelled: SpelledStatement;
    readonly isReading: boolean;
    readonly sweep: Sweep | undefined;
  }[];
  /** The statements of its usual meaning, as they are logged. */
  readonly statements: readonly string[];
  readonly characterSet: CharacterSetChange;
}

/** A text that needs no decision: its statements, as they are logged, and those that affect every row. */
export interface CutText {
  readonly statements: readonly string[];
  readonly sweeps: readonly Sweep[];
}

const inTurn = createSerial();

/** Runs work on a text of a user; on one large text of each user at a time. */
const forUser = <Result>(
  userId: string,
  text: string,
  work: () => Promise<Result>,
): Promise<Result> => (text.length > SMALL ? inTurn(userId, work) : work());

const dialectOf = (type: DatabaseType): Dialect => (type === 'postgresql' ? 'postgresql' : 'mysql');

/** Reads a text in every meaning, in slices; undefined where its meaning cannot be known, or takes too much work. */
export function readText(
  userId: string,
  text: string,
  type: DatabaseType,
): Promise<ReadText | undefined> {
  if (type === 'redis') return Promise.resolve(readRedis(text));
  const dialect = dialectOf(type);
  return forUser(userId, text, async () => {
    const readings = await inSlices(readMeanings(text, dialect, MAX_STATEMENTS));
    const all = readings?.flat();
    if (!all || all.length > MAX_STATEMENTS) return undefined;
    return {
      meanings: all.map((statement) => ({
        spelled: statement.spelled,
        isReading: isReadingOnly(statement),
        sweep: statement.sweep,
      })),
      statements: readings?.[0]?.map((statement) => statement.text) ?? [],
      characterSet: worstOf(all.map((statement) => characterSetChange(statement, dialect))),
    };
  });
}

/** Cuts a text that needs no decision; undefined where it has too many statements. One above MAX_STATEMENT is not read: it is one entry of the log. */
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
  // A longer one has a condition or values: nobody writes so much about every row.
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
  return { meanings, statements: [text], characterSet: 'none' };
}
