import { atOnce, type Sliced } from '../../../platform/slices.ts';
import { readStatements, type Statement, USUAL } from './statements.ts';
import type { Dialect, Reading, VersionComment } from './tokens.ts';

/** Maximum number of different versions in the comments of one text; real texts have fewer. */
const MAX_VERSIONS = 4;
/** Maximum length of all readings of a text together, in characters: it bounds the work of deciding on it. */
export const MAX_READ = 512 * 1024;
/** The versions that MariaDB skips although they are lower than its own: they are those of MySQL. */
const OF_MYSQL_ALONE = { from: 50_700, to: 99_999 } as const;
const VERSION = /\/\*(M?)!(\d*)/g;
const NESTED = /\/\*M?!(?:(?!\*\/)[\s\S])*?\/\*/;

/** Every meaning of a text: the usual one first, each a list of statements. */
export type Readings = readonly (readonly Statement[])[];

/**
 * Reads every meaning of a text: usually one list of statements. A backslash before a quote ends a string or not, depending on a setting of the connection. A
 * MySQL comment runs or not, depending on the version of the server. We know neither for sure, so such a text has all its readings, and a rule that refuses one
 * of them refuses the text. Returns undefined where the meaning cannot be known or takes too much work, and for more statements than `most`.
 */
export function* readMeanings(
  text: string,
  dialect: Dialect,
  most = Number.POSITIVE_INFINITY,
): Sliced<Readings | undefined> {
  const servers = dialect === 'mysql' ? serversOf(text) : [{}];
  if (!servers) return undefined;
  const usual = USUAL[dialect].hasBackslashes;
  const backslashes = text.includes('\\') ? [usual, !usual] : [usual];
  if (
    text.length * backslashes.length * servers.length > MAX_READ &&
    backslashes.length * servers.length > 1
  )
    return undefined;
  const found = new Map<string, readonly Statement[]>();
  for (const hasBackslashes of backslashes)
    for (const server of servers) {
      const statements = yield* readStatements(
        text,
        dialect,
        { dialect, hasBackslashes, ...server },
        most,
      );
      if (!statements) return undefined;
      found.set(statements.map(({ line }) => line).join('\0'), statements);
    }
  return [...found.values()];
}

/** The readings of a text that is known to be small. */
export const readingsOf = (text: string, dialect: Dialect): Readings | undefined =>
  atOnce(readMeanings(text, dialect));

/** Every way in which servers treat the version comments of a text; ways that come to the same are left out. */
function serversOf(text: string): readonly Pick<Reading, 'runs' | 'nestsSkipped'>[] | undefined {
  const comments = new Map<string, VersionComment>();
  for (const [whole, maria = '', digits = ''] of text.matchAll(VERSION)) {
    // Other lengths are digits of the content, or part of them is.
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
  const found = new Map<string, Pick<Reading, 'runs' | 'nestsSkipped'>>();
  for (const server of [0, ...versions])
    for (const runs of [
      ({ isMariaDb, version = 0 }: VersionComment) => !isMariaDb && version <= server,
      ({ isMariaDb, version = 0 }: VersionComment) =>
        version <= server &&
        (isMariaDb || version < OF_MYSQL_ALONE.from || version > OF_MYSQL_ALONE.to),
    ])
      for (const nestsSkipped of nestings)
        found.set([nestsSkipped, ...[...comments.values()].map(runs)].join(), {
          nestsSkipped,
          runs,
        });
  return [...found.values()];
}
