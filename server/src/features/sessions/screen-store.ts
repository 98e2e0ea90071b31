import type { Db } from '../../platform/db/database.ts';
import { type Sql, sql } from '../../platform/db/sql.ts';
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
 * Returns blocks that contain a phrase, of the newest sessions first. `scope` is the condition on
 * the sessions `t` that the caller may see.
 */
export async function blocksWith(
  db: Db,
  phrase: string,
  { scope, limit }: { readonly scope: Sql; readonly limit: number },
): Promise<readonly ScreenBlock[]> {
  const { rows } = await sql<ScreenBlock>`
    select t.id as session, t."user", t.asset, t.system_user, t.date_start, x.text, x.moments
    from screen_text x join session t on t.id = x.session
    where ${scope} and not t.is_canary and t.is_finished and t.has_replay
      and x.text ilike ${likePattern(phrase)}
      and (${wideRuns(phrase)}::text[] = '{}' or (x.wide <> '' and text_pairs(x.wide) @>
        (select coalesce(array_agg(pair), '{}') from unnest(${wideRuns(phrase)}::text[]) run,
          unnest(text_pairs(run)) pair)))
    order by x.date_start desc, x.session, x.number limit ${limit}`.execute(db);
  return rows;
}
