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
}

/**
 * Newest rows of the caller whose text is compared before an index is used, and sessions that are
 * tried for them: enough for frequent phrases.
 */
const NEWEST = 500;
const NEWEST_SESSIONS = 5_000;

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
  readonly limit: number;
}

/** Reads the blocks among candidate rows, from the newest on until there are enough. */
async function blocksAmong(
  db: Db,
  candidates: Sql,
  phrase: string,
  { scope, limit }: Filter,
): Promise<readonly ScreenBlock[]> {
  // The order of the candidates is that of the result: the joins end with the limit.
  const { rows } = await sql<ScreenBlock>`
    with candidate as materialized (${candidates}
      order by x.date_start desc, x.session, x.number)
    select t.id as session, t."user", t.asset, t.system_user, t.date_start, x.text, x.moments
    from candidate c
      cross join lateral (select t.id, t."user", t.asset, t.system_user, t.date_start
        from session t where t.id = c.session and ${scope}
          and not t.is_canary and t.is_finished and t.has_replay offset 0) t
      cross join lateral (select x.text, x.moments from screen_text x
        where x.session = c.session and x.number = c.number
          and x.text ilike ${likePattern(phrase)} offset 0) x
    order by c.date_start desc, c.session, c.number limit ${limit}`.execute(db);
  return rows;
}

/** Returns blocks that contain a phrase, of the newest sessions first. */
export async function blocksWith(
  db: Db,
  phrase: string,
  filter: Filter,
): Promise<readonly ScreenBlock[]> {
  const columns = sql`x.session, x.number, x.date_start`;
  const newest = sql`select * from (select ${columns} from (select t.id from session t
    where ${filter.scope} order by t.date_start desc limit ${NEWEST_SESSIONS}) s
    cross join lateral (select ${columns} from screen_text x where x.session = s.id offset 0) x
    limit ${NEWEST}) x`;
  const early = await blocksAmong(db, newest, phrase, filter);
  if (early.length >= filter.limit) return early;
  const [trigrams, runs] = [trigramsOf(phrase), wideRuns(phrase)];
  // The indexes match arrays exactly, so no text is read to find the candidates.
  const indexed = allOf([
    trigrams.length > 0 ? sql`show_trgm(x.text) @> ${trigrams}::text[]` : undefined,
    runs.length > 0
      ? sql`x.wide <> '' and text_pairs(x.wide) @> (
          select coalesce(array_agg(pair), '{}') from unnest(${runs}::text[]) run,
            unnest(text_pairs(run)) pair)`
      : undefined,
  ]);
  const candidates = sql`select ${columns} from screen_text x where ${indexed}`;
  return blocksAmong(db, candidates, phrase, filter);
}
