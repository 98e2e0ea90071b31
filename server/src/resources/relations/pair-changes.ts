import { type ParsedBody, type Problem, parseBody } from '@sallyport/contract';
import type { Caller } from '../../platform/actor.ts';
import { sql } from '../../platform/db/sql.ts';
import { notFound } from '../../platform/errors.ts';
import type { Operation } from '../hooks.ts';
import { type Pair, type PairSource, selectPairs } from './pair-source.ts';
import {
  assertCount,
  assertEnoughLeft,
  assertGood,
  checkEnds,
  deleteLinks,
  type Ends,
  endsOf,
  insertLinks,
  lockOwners,
  logLinks,
  readWritten,
  unitOfWork,
} from './pair-writes.ts';

/** PUT must name both ends; PATCH keeps the end that it does not name. */
export type PairMode = 'replace' | 'change';

/** The number of a pair, and a body with the ends that it gets. */
export interface PairDraft {
  readonly id: number;
  readonly body: unknown;
}

/** Reads the number of each body from its `id` or `pk`; 0 if it has none. */
export function draftsOf(bodies: readonly unknown[]): PairDraft[] {
  return bodies.map((body) => {
    const { id, pk } = (body ?? {}) as { id?: unknown; pk?: unknown };
    const text = String(typeof (id ?? pk) === 'object' ? '' : (id ?? pk));
    return { id: /^\d{1,15}$/.test(text) ? Number(text) : 0, body };
  });
}

/** A write that changes pairs. */
export interface PairChange {
  readonly drafts: readonly PairDraft[];
  readonly mode: PairMode;
  /** True for a single draft: its problems are then an object instead of a list. */
  readonly isSingle: boolean;
}

interface Item extends ParsedBody {
  readonly id: number;
}

interface Batch {
  readonly items: readonly Item[];
  readonly isSingle: boolean;
}

/**
 * Gives pairs other ends, all or none, in order; their numbers stay. @throws NotFound or Invalid
 * for one draft, InvalidItems for several
 */
export async function changePairs(
  source: PairSource,
  { drafts, mode, isSingle }: PairChange,
  caller: Caller,
): Promise<Pair[]> {
  assertCount(drafts);
  const parsed = drafts.map(
    ({ id, body }): Item => ({
      ...parseBody(source.pair.resource.fields, body, mode, { zone: caller.zone }),
      id,
    }),
  );
  const seen = new Set<number>();
  for (const { id, problems } of parsed) {
    if (id === 0 && !isSingle) setProblem(problems, 'id', { code: 'not_integer' });
    else if (seen.has(id))
      setProblem(problems, 'id', { code: 'list_duplicate', params: { value: String(id) } });
    seen.add(id);
  }
  // The pair of a path must exist before its body counts.
  if (!isSingle) assertGood(parsed, isSingle);
  return unitOfWork(source)(caller, {}, async (operation) => {
    const items = parsed.map((item) => ({ ...item, problems: { ...item.problems } }));
    const before = await findPairs(source, { items, isSingle }, operation);
    await checkEnds(source, items, operation);
    assertGood(items, isSingle);
    return moveLinks(source, { items, isSingle }, before, operation);
  });
}

const setProblem = (problems: Item['problems'], name: string, problem: Problem) =>
  Object.assign(problems, { [name]: [problem] });

/** Returns the stored pairs by number. @throws NotFound for one item, InvalidItems for several */
async function findPairs(
  source: PairSource,
  { items, isSingle }: Batch,
  { tx, caller }: Operation,
): Promise<ReadonlyMap<number, Pair>> {
  const where = sql`link.id = any (${items.map(({ id }) => id)}::bigint[])`;
  const rows = await selectPairs(source, { where, caller }, tx);
  const pairs = new Map(rows.map((row) => [row.id, row]));
  const missing = items.filter(({ id }) => !pairs.has(id));
  if (isSingle && missing.length > 0) throw notFound();
  for (const { id, problems } of missing)
    setProblem(problems, 'id', { code: 'unknown_object', params: { value: String(id) } });
  assertGood(items, isSingle);
  return pairs;
}

/** Deletes and inserts the links that change: triggers then see what is removed and added. */
async function moveLinks(
  source: PairSource,
  { items, isSingle }: Batch,
  before: ReadonlyMap<number, Pair>,
  { tx, caller }: Operation,
): Promise<Pair[]> {
  const moves = items.flatMap((item) => {
    const row = before.get(item.id) ?? {};
    const [from, to] = [endsOf(source, row), endsOf(source, { ...row, ...item.values })];
    return isSame(from, to) ? [] : [{ item, from, to }];
  });
  const owners = moves.flatMap(({ from, to }) => [from.own, to.own]);
  const labels = await lockOwners(source, [...new Set(owners)], tx);
  await deleteLinks(
    source,
    moves.map(({ item, from }) => ({ ...from, id: item.id })),
    tx,
  );
  await insertLinks(
    source,
    moves.map(({ item, to }) => ({ ...to, item, id: item.id })),
    tx,
  );
  assertGood(items, isSingle);
  for (const own of new Set(moves.map(({ from }) => from.own)))
    await assertEnoughLeft(source, own, tx);
  const [gone, added] = [moves.map(({ from }) => from), moves.map(({ to }) => to)];
  await logLinks(source, { labels, gone, added }, caller, tx);
  return readWritten(
    source,
    items.map(({ id }) => id),
    caller,
    tx,
  );
}

const isSame = (a: Ends, b: Ends): boolean => a.own === b.own && a.other === b.other;
