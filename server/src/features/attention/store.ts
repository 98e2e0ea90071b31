import { type AttentionKind, MOST_COUNTED } from '@sallyport/contract';
import type { Db } from '../../platform/db/database.ts';
import { type Sql, sql } from '../../platform/db/sql.ts';
import {
  ATTENTION_EXAMPLES,
  type AttentionExample,
  type AttentionFacts,
  type AttentionSearch,
} from '../../resources/attention.ts';

/** Selects the first rows of one kind. Each row has the total, at most {@link MOST_COUNTED}. */
function findOne(search: AttentionSearch): Sql {
  const direction = search.soonestFirst ? sql`asc` : sql`desc`;
  return sql`(
    select ${search.kind} as kind, r.*, least(coalesce(sum(r.amount) over (), count(*) over ()),
      ${MOST_COUNTED})::int as total,
      row_number() over (order by r.amount desc nulls last, r.date ${direction} nulls last, r.name)
        as place
    from (${search.rows} limit ${MOST_COUNTED}) r order by place limit ${ATTENTION_EXAMPLES})`;
}

/**
 * Runs all searches in one statement, as the database may be remote. Kinds without rows are absent.
 */
export async function findAll(
  searches: readonly AttentionSearch[],
  db: Db,
): Promise<AttentionFacts> {
  if (searches.length === 0) return [];
  const { rows } = await sql<AttentionExample & { kind: AttentionKind; total: number }>`
    select * from (${sql.join(searches.map(findOne), sql` union all `)}) found
      order by kind, place`.execute(db);
  const rowsByKind = Map.groupBy(rows, ({ kind }) => kind);
  return [...rowsByKind].map(([kind, examples]) => [
    kind,
    {
      count: examples[0]?.total ?? 0,
      examples: examples.map(({ id, name, amount, date }) => ({ id, name, amount, date })),
    },
  ]);
}
