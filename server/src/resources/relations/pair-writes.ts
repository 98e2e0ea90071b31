import {
  type FieldProblems,
  MAX_ITEMS,
  type ParsedBody,
  type Problem,
  parseBody,
} from '@sallyport/contract';
import type { Caller } from '../../platform/actor.ts';
import type { Tx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import { Invalid, InvalidItems, invalid, notFound } from '../../platform/errors.ts';
import type { Operation } from '../hooks.ts';
import { createUnitOfWork } from '../write/unit-of-work.ts';
import { unknownReferences } from './links.ts';
import { equalTo, type Pair, type PairSource, selectPairs } from './pair-source.ts';

/** The transaction of a write of pairs. */
export const unitOfWork = ({ owner, registry, services }: PairSource) =>
  createUnitOfWork(owner.resource, registry, services);

/**
 * Returns the labels of owners by id. Locks owners in a fixed order before their links, so that
 * concurrent changes of one object wait here.
 */
export async function lockOwners(
  { owner }: PairSource,
  ids: readonly string[],
  tx: Tx,
): Promise<Map<string, string>> {
  const { rows } = await sql<{ id: string; label: string }>`
    select t.id, ${sql.ref(`t.${owner.resource.labelField}`)} as label
    from ${sql.table(owner.resource.table)} t where t.id = any (${ids}::uuid[]) order by t.id
    for no key update of t`.execute(tx);
  return new Map(rows.map(({ id, label }) => [id, label]));
}

/** Returns the entry of the operate log for a change of an owner's links. */
function entryOf(
  { owner, relation }: PairSource,
  { id, label }: { readonly id: string; readonly label: string | undefined },
  before: readonly string[],
  after: readonly string[],
) {
  return {
    action: 'update' as const,
    resourceType: owner.resource.name,
    resource: label ?? id,
    resourceId: id,
    changes: { [relation.field]: [before, after] as const },
  };
}

/** @throws Invalid for one body, InvalidItems for several, if a body has problems */
export function assertGood(items: readonly ParsedBody[], isSingle: boolean): void {
  if (items.every(({ problems }) => Object.keys(problems).length === 0)) return;
  if (isSingle) throw new Invalid(items[0]?.problems ?? {});
  throw new InvalidItems(items.map(({ problems }) => problems as FieldProblems));
}

/** @throws Invalid if there are too many bodies */
export function assertCount(bodies: readonly unknown[]): void {
  if (bodies.length > MAX_ITEMS)
    throw invalid('non_field_errors', 'list_too_long', { max: MAX_ITEMS });
}

/** Adds pairs, all or none, in order. @throws Invalid, InvalidItems */
export async function addPairs(
  source: PairSource,
  bodies: readonly unknown[],
  caller: Caller,
  isSingle: boolean,
): Promise<Pair[]> {
  assertCount(bodies);
  const items = bodies.map((body) =>
    parseBody(source.pair.resource.fields, body, 'create', { zone: caller.zone }),
  );
  assertGood(items, isSingle);
  return unitOfWork(source)(caller, {}, async (operation) => {
    await checkEnds(source, items, operation);
    assertGood(items, isSingle);
    return insertPairs(source, items, isSingle, operation);
  });
}

/** Adds the problems of ends that the caller must not link. */
export async function checkEnds(
  { pair, registry }: PairSource,
  items: readonly ParsedBody[],
  operation: Operation,
): Promise<void> {
  const values = items.map((item) => item.values);
  const unknown = await unknownReferences(pair, values, registry, operation);
  for (const [index, problems] of unknown) Object.assign(items[index]?.problems ?? {}, problems);
}

async function insertPairs(
  source: PairSource,
  items: readonly ParsedBody[],
  isSingle: boolean,
  { tx, caller }: Operation,
): Promise<Pair[]> {
  const { key } = source.relation.owner;
  const labels = await lockOwners(
    source,
    [...new Set(items.map(({ values }) => String(values[key])))],
    tx,
  );
  const links = items.map((item) => ({ item, ...endsOf(source, item.values) }));
  const ids = await insertLinks(source, links, tx);
  assertGood(items, isSingle);
  await logLinks(source, { labels, gone: [], added: links }, caller, tx);
  return readWritten(source, ids, caller, tx);
}

/** Both ends of a pair. */
export interface Ends {
  readonly own: string;
  readonly other: string;
}

/** Returns the ends of a pair or of its values. */
export const endsOf = (
  { relation: { owner, other } }: PairSource,
  values: Readonly<Record<string, unknown>>,
): Ends => ({ own: String(values[owner.key]), other: String(values[other.key]) });

interface NewLink extends Ends {
  readonly item: ParsedBody;
  /** The number that the link keeps. */
  readonly id?: number;
}

/**
 * Inserts links and returns their numbers. A link that exists already, or twice in `links`, becomes
 * a problem of its body.
 */
export async function insertLinks(
  { link }: PairSource,
  links: readonly NewLink[],
  tx: Tx,
): Promise<number[]> {
  const hasIds = links.some(({ id }) => id !== undefined);
  const [ids, owners, others] = [
    links.map(({ id }) => id ?? null),
    links.map(({ own }) => own),
    links.map(({ other }) => other),
  ];
  const { rows } = await sql<{ id: number; own: string; other: string }>`
    insert into ${sql.table(link.table)} as link (${sql.ref(link.own)}, ${sql.ref(link.other)}
      ${hasIds ? sql`, id) overriding system value` : sql`)`}
    select pair.own, pair.other ${hasIds ? sql`, pair.id` : sql``}
    from unnest(${owners}::uuid[], ${others}::uuid[], ${ids}::bigint[]) as pair (own, other, id)
    on conflict do nothing
    returning id, ${sql.ref(link.own)} as own, ${sql.ref(link.other)} as other`.execute(tx);
  const fresh = new Map(rows.map((row) => [`${row.own} ${row.other}`, row.id]));
  return links.map(({ own, other, item: { problems } }) => {
    const key = `${own} ${other}`;
    const id = fresh.get(key);
    if (id === undefined)
      (problems as Record<string, Problem[]>).non_field_errors = [{ code: 'not_unique' }];
    fresh.delete(key);
    return Number(id ?? 0);
  });
}

/** Returns pairs by their numbers, in this order. */
export async function readWritten(
  source: PairSource,
  ids: readonly number[],
  caller: Caller,
  tx: Tx,
): Promise<Pair[]> {
  const where = sql`link.id = any (${ids}::bigint[])`;
  const written = new Map(
    (await selectPairs(source, { where, caller }, tx)).map((row) => [row.id, row]),
  );
  return ids.flatMap((id) => written.get(id) ?? []);
}

interface ChangedLinks {
  /** Labels of all owners, by id. */
  readonly labels: ReadonlyMap<string, string>;
  readonly gone: readonly Ends[];
  readonly added: readonly Ends[];
}

/** Logs one change for each owner. */
export async function logLinks(
  source: PairSource,
  { labels, gone, added }: ChangedLinks,
  caller: Caller,
  tx: Tx,
): Promise<void> {
  const [goneOf, addedOf] = [gone, added].map((links) => Map.groupBy(links, ({ own }) => own));
  const othersOf = (links: typeof goneOf, id: string) =>
    (links?.get(id) ?? []).map(({ other }) => other);
  await source.services.audit(
    tx,
    caller,
    ...[...labels].map(([id, label]) =>
      entryOf(source, { id, label }, othersOf(goneOf, id), othersOf(addedOf, id)),
    ),
  );
}

/** Removes one pair. @throws NotFound; Invalid if the owner requires the link */
export function removePair(
  source: PairSource,
  where: Readonly<Record<string, string | number>>,
  caller: Caller,
): Promise<void> {
  return unitOfWork(source)(caller, {}, async ({ tx }) => {
    const [row] = await selectPairs(source, { where: equalTo(source, where), caller }, tx);
    if (!row) throw notFound();
    const ends = endsOf(source, row);
    const labels = await lockOwners(source, [ends.own], tx);
    await deleteLinks(source, [{ ...ends, id: row.id }], tx);
    await assertEnoughLeft(source, ends.own, tx);
    await logLinks(source, { labels, gone: [ends], added: [] }, caller, tx);
  });
}

/** @throws NotFound if another write has removed or changed one of the links */
export async function deleteLinks(
  { link, ownerColumn, otherColumn }: PairSource,
  links: readonly (Ends & { readonly id: number })[],
  tx: Tx,
): Promise<void> {
  const gone = await sql`
    delete from ${sql.table(link.table)} link
    using unnest(${links.map(({ id }) => id)}::bigint[], ${links.map(({ own }) => own)}::uuid[],
      ${links.map(({ other }) => other)}::uuid[]) as pair (id, own, other)
    where link.id = pair.id and ${ownerColumn} = pair.own and ${otherColumn} = pair.other`.execute(
    tx,
  );
  if (gone.rowCount !== links.length) throw notFound();
}

/** @throws Invalid if an owner has fewer links than it requires */
export async function assertEnoughLeft(
  { owner, relation, link, ownerColumn }: PairSource,
  id: string,
  tx: Tx,
): Promise<void> {
  const links = owner.resource.fields[relation.field];
  const min = links?.kind === 'many' ? links.minItems : 0;
  if (min === 0) return;
  const left = await sql<{ count: number }>`
    select count(*) as count from ${sql.table(link.table)} link
    where ${ownerColumn} = ${id}`.execute(tx);
  if (Number(left.rows[0]?.count ?? 0) < min)
    throw invalid('non_field_errors', 'relation_needed', { min });
}
