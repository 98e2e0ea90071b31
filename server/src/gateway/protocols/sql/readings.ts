import { atOnce, type Sliced } from '../../../platform/slices.ts';
import { readStatements, type Statement, USUAL } from './statements.ts';
import type { Dialect, Reading, VersionComment } from './tokens.ts';

/** Maximum number of different versions in the comments of one text; real texts have fewer. */
const MAX_VERSIONS = 4;
/** Maximum total length of all readings of a text, in characters. Bounds the work of a decision. */
export const MAX_READ = 512 * 1024;
/** Versions of MySQL only: MariaDB skips them although they are below its own version. */
const OF_MYSQL_ALONE = { from: 50_700, to: 99_999 } as const;
const VERSION = /\/\*(M?)!(\d*)/g;
const HINT = /\/\*\+(?:(?!\*\/)[\s\S])*/g;
const QUOTED = /(["'`])(?:(?!\1)[\s\S])*\1/g;
const NESTED = /\/\*M?!(?:(?!\*\/)[\s\S])*?\/\*/;

/** Every meaning of a text as a list of statements; the usual one comes first. */
export type Readings = readonly (readonly Statement[])[];

/**
 * Yields every meaning of a text. A backslash before a quote ends a string or not, depending on
 * session settings. A MySQL version comment runs or not, depending on the server. Both are unknown
 * here, so the guard rejects a text if it rejects any reading. Returns undefined if the meaning is
 * unknowable, too much work, or has more than `most` statements.
 */
export function* readMeanings(
  text: string,
  dialect: Dialect,
  most = Number.POSITIVE_INFINITY,
): Sliced<Readings | undefined> {
  const servers = dialect === 'mysql' ? serversOf(text) : [{}];
  if (dialect === 'mysql' && hasOpenHint(text)) return undefined;
  if (!servers) return undefined;
  const quotings = quotingsOf(text, dialect);
  if (
    text.length * quotings.length * servers.length > MAX_READ &&
    quotings.length * servers.length > 1
  )
    return undefined;
  const readings = new Map<string, readonly Statement[]>();
  for (const quoting of quotings)
    for (const server of servers) {
      const statements = yield* readStatements(text, dialect, { ...quoting, ...server }, most);
      if (!statements || statements.some(({ inner }) => inner === undefined)) return undefined;
      const lines = statements.flatMap(({ line, inner }) => [line, ...linesOf(inner)]);
      readings.set(lines.join('\0'), statements);
    }
  return [...readings.values()];
}

/** Escapes in literals that the database runs tell readings apart whose statements look alike. */
const linesOf = (inner: Statement['inner']) => (inner ?? []).map(({ line }) => line);

/** All readings of a small text, without pauses. */
export const readingsOf = (text: string, dialect: Dialect): Readings | undefined =>
  atOnce(readMeanings(text, dialect));

/** All ways in which servers may treat backslashes in the quotes of a text. */
function quotingsOf(text: string, dialect: Dialect): readonly Reading[] {
  const usual = USUAL[dialect];
  if (!text.includes('\\')) return [usual];
  const others = [{ ...usual, hasBackslashes: !usual.hasBackslashes }];
  return dialect === 'mysql' && text.includes('"')
    ? [usual, ...others, { ...usual, hasAnsiQuotes: true }]
    : [usual, ...others];
}

/**
 * Returns true if quotes in a hint of the optimizer are open at the end of the comment: MySQL reads
 * a hint with its quotes, and other servers skip it as a comment.
 */
const hasOpenHint = (text: string): boolean =>
  [...text.matchAll(HINT)].some(([hint]) => /["'`]/.test(hint.replace(QUOTED, '')));

/** All ways in which servers may treat the version comments of a text, without duplicates. */
function serversOf(text: string): readonly Pick<Reading, 'runs' | 'nestsSkipped'>[] | undefined {
  const comments = new Map<string, VersionComment>();
  for (const [whole, maria = '', digits = ''] of text.matchAll(VERSION)) {
    // In other lengths, some digits belong to the content.
    if (digits !== '' && digits.length !== 5 && digits.length !== 6) return undefined;
    comments.set(whole, {
      isMariaDb: maria !== '',
      version: digits === '' ? undefined : Number(digits),
    });
    if (comments.size > MAX_VERSIONS * 2) return undefined;
  }
  if (comments.size === 0) return [{}];
  const versions = new Set([...comments.values()].flatMap(({ version }) => version ?? []));
  if (versions.size > MAX_VERSIONS) return undefined;
  const nestings = NESTED.test(text) ? [false, true] : [false];
  const readings = new Map<string, Pick<Reading, 'runs' | 'nestsSkipped'>>();
  for (const server of [0, ...versions])
    for (const runs of [
      ({ isMariaDb, version = 0 }: VersionComment) => !isMariaDb && version <= server,
      ({ isMariaDb, version = 0 }: VersionComment) =>
        version <= server &&
        (isMariaDb || version < OF_MYSQL_ALONE.from || version > OF_MYSQL_ALONE.to),
    ])
      for (const nestsSkipped of nestings)
        readings.set([nestsSkipped, ...[...comments.values()].map(runs)].join(), {
          nestsSkipped,
          runs,
        });
  return [...readings.values()];
}
