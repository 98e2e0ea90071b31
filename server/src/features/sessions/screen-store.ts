import type { Db } from '../../platform/db/database.ts';
import { type Sql, sql } from '../../platform/db/sql.ts';
import { allOf } from '../../resources/read/scope.ts';
import { likePattern } from '../../resources/read/search.ts';
import { wideRuns } from './screen-index.ts';

/** Lines of a session that are stored together. */
export interface ScreenBlock {
  readonly session: string;
  readonly user: string;
  readonly asset: string;
  readonly system_user: string;
  readonly date_start: Date;
  readonly text: string;
  readonly moments: readonly number[];
  readonly place: ScreenPlace;
}

/** A session in the order of a search; the next page begins after it. */
export interface ScreenPlace {
  /** Start of the session in microseconds since 1970: a `Date` has no microseconds. */
  readonly start: string;
  readonly session: string;
}

/**
 * Newest rows of the caller whose text is compared before an index is used, and sessions that are
 * tried for them: enough for frequent phrases, and for callers with few sessions.
 */
const NEWEST = 2_000;
const NEWEST_SESSIONS = 5_000;
/** Candidates of an index whose text one answer compares: about 0.1 s. */
const MOST_CANDIDATES = 5_000;

const ASCII_WORDS = /[a-z0-9]{3,}/g;

/** Returns the trigrams that each text with the phrase has, in the form of `show_trgm`. */
function trigramsOf(phrase: string): readonly string[] {
  return [
    ...new Set(
      [...phrase.matchAll(ASCII_WORDS)].flatMap(([word]) =>
        Array.from({ length: word.length - 2 }, (_, start) => word.slice(start, start + 3)),
      ),
    ),
  ];
}

interface Filter {
  /** Condition on the sessions `t` that the caller may see. */
  readonly scope: Sql;
  /** Blocks of an answer. All blocks of its last session are included. */
  readonly limit: number;
  readonly after?: ScreenPlace | undefined;
}

export interface ScreenPage {
  readonly blocks: readonly ScreenBlock[];
  /** The last session that was compared; undefined if no older session can match. */
  readonly next: ScreenPlace | undefined;
}

const place = (row: Sql) => sql`jsonb_build_object('session', ${row}.session,
  'start', (extract(epoch from ${row}.date_start) * 1000000)::bigint::text)`;

/** Returns the condition that a text contains the phrase, which is in lower case. */
const contains = (phrase: string) =>
  /\P{ASCII}/u.test(phrase)
    ? sql`x.text ilike ${likePattern(phrase)}`
    : sql`position(${phrase} in lower(x.text collate "C")) > 0`;

interface Compared {
  readonly blocks: readonly ScreenBlock[];
  readonly count: number;
  readonly last: ScreenPlace | null;
}

/** Compares the text of candidates from the newest on, until there are enough blocks. */
async function compare(
  db: Db,
  candidates: Sql,
  phrase: string,
  { scope, limit }: Filter,
): Promise<Compared> {
  // The order of the candidates is that of the result: the joins end with the limit. The session is
  // read by its key before the scope: an index by organization would be read once per candidate.
  const { rows } = await sql<
    Omit<ScreenBlock, 'place'> & {
      place: ScreenPlace | null;
      count: number;
      last: ScreenPlace | null;
    }
  >`
    with candidate as materialized (${candidates}),
    matching as (
      select t.id as session, t."user", t.asset, t.system_user, t.date_start, x.text, x.moments,
        ${place(sql`c`)} as place, c.number
      from candidate c
        cross join lateral (select * from session t where t.id = c.session offset 0) t
        cross join lateral (select x.text, x.moments from screen_text x
          where x.session = c.session and x.number = c.number
            and ${scope} and not t.is_canary and t.is_finished and t.has_replay
            and ${contains(phrase)} offset 0) x
      order by c.date_start desc, c.session desc fetch first ${limit} rows with ties)
    select m.*, e.count, e.last
    from (select (select count(*) from candidate)::integer as count,
        (select ${place(sql`c`)} from candidate c order by c.date_start, c.session limit 1)
          as last) e
      left join matching m on true
    order by m.date_start desc, m.session desc, m.number`.execute(db);
  return {
    blocks: rows.flatMap((row) => (row.place ? [{ ...row, place: row.place }] : [])),
    count: rows[0]?.count ?? 0,
    last: rows[0]?.last ?? null,
  };
}

/** The newest rows of the caller, and whether they are all of them. */
async function newestWith(db: Db, phrase: string, filter: Filter) {
  const own = sql`(select t.id from session t where ${filter.scope}
    order by t.date_start desc limit ${NEWEST_SESSIONS}) s`;
  const rows = sql`select x.* from ${own} cross join lateral (
    select x.session, x.number, x.date_start from screen_text x where x.session = s.id offset 0) x
    limit ${NEWEST}`;
  const newest = sql`select * from (${rows}) x order by x.date_start desc, x.session desc`;
  const compared = await compare(db, newest, phrase, filter);
  if (compared.blocks.length >= filter.limit || compared.count >= NEWEST)
    return { ...compared, isAll: false };
  const { rows: counts } = await sql<{ sessions: number }>`
    select count(*)::integer as sessions from ${own}`.execute(db);
  return { ...compared, isAll: (counts[0]?.sessions ?? 0) < NEWEST_SESSIONS };
}

/**
 * Returns blocks that contain a phrase, of the newest sessions first. One page compares a limited
 * number of candidates: it may have no blocks and a next page.
 */
export async function blocksWith(db: Db, phrase: string, filter: Filter): Promise<ScreenPage> {
  const { after, limit } = filter;
  if (!after) {
    const { blocks, isAll } = await newestWith(db, phrase, filter);
    if (isAll || blocks.length >= limit)
      return { blocks, next: isAll ? undefined : blocks.at(-1)?.place };
  }
  const [trigrams, runs] = [trigramsOf(phrase), wideRuns(phrase)];
  // The indexes match arrays exactly, so no text is read to find the candidates.
  const indexed = allOf([
    trigrams.length > 0 ? sql`text_trigrams(x.text) @> ${trigrams}::text[]` : undefined,
    runs.length > 0
      ? sql`x.wide <> '' and text_pairs(x.wide) @> (
          select coalesce(array_agg(pair), '{}') from unnest(${runs}::text[]) run,
            unnest(text_pairs(run)) pair)`
      : undefined,
    after &&
      sql`(x.date_start, x.session) < (timestamptz 'epoch'
        + ${after.start}::bigint * interval '1 microsecond', ${after.session}::uuid)`,
  ]);
  const candidates = sql`select x.session, x.number, x.date_start from screen_text x
    where ${indexed} order by x.date_start desc, x.session desc
    fetch first ${MOST_CANDIDATES} rows with ties`;
  const { blocks, count, last } = await compare(db, candidates, phrase, filter);
  if (blocks.length >= limit) return { blocks, next: blocks.at(-1)?.place };
  return { blocks, next: count >= MOST_CANDIDATES ? (last ?? undefined) : undefined };
}
