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

const unitOfWork = ({ owner, registry, services }: PairSource) =>
  createUnitOfWork(owner.resource, registry, services);

/**
 * Returns the labels of owners by id. Locks owners in a fixed order before their links, so that
 * concurrent changes of one object wait here.
 */
async function lockOwners(
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
function assertGood(items: readonly ParsedBody[], isSingle: boolean): void {
  if (items.every(({ problems }) => Object.keys(problems).length === 0)) return;
  if (isSingle) throw new Invalid(items[0]?.problems ?? {});
  throw new InvalidItems(items.map(({ problems }) => problems as FieldProblems));
}

/** Adds pairs, all or none, in order. @throws Invalid, InvalidItems */
export async function addPairs(
  source: PairSource,
  bodies: readonly unknown[],
  caller: Caller,
  isSingle: boolean,
): Promise<Pair[]> {
  if (bodies.length > MAX_ITEMS)
    throw invalid('non_field_errors', 'list_too_long', { max: MAX_ITEMS });
  const { pair, registry } = source;
  const items = bodies.map((body) =>
    parseBody(pair.resource.fields, body, 'create', { zone: caller.zone }),
  );
  assertGood(items, isSingle);
  return unitOfWork(source)(caller, {}, async (operation) => {
    const unknown = await unknownReferences(
      pair,
      items.map(({ values }) => values),
      registry,
      operation,
    );
    for (const [index, problems] of unknown) Object.assign(items[index]?.problems ?? {}, problems);
    assertGood(items, isSingle);
    return insertPairs(source, items, isSingle, operation);
  });
}

async function insertPairs(
  source: PairSource,
  items: readonly ParsedBody[],
  isSingle: boolean,
  { tx, caller }: Operation,
): Promise<Pair[]> {
  const { relation, link, services } = source;
  const owners = items.map(({ values }) => String(values[relation.owner.key]));
  const others = items.map(({ values }) => String(values[relation.other.key]));
  const labels = await lockOwners(source, [...new Set(owners)], tx);
  const { rows } = await sql<{ id: number; own: string; other: string }>`
    insert into ${sql.table(link.table)} as link (${sql.ref(link.own)}, ${sql.ref(link.other)})
    select pair.own, pair.other
    from unnest(${owners}::uuid[], ${others}::uuid[]) as pair (own, other)
    on conflict do nothing
    returning id, ${sql.ref(link.own)} as own, ${sql.ref(link.other)} as other`.execute(tx);
  const fresh = new Map(rows.map((row) => [`${row.own} ${row.other}`, row.id]));
  const ids = items.map(({ problems }, index) => {
    const key = `${owners[index]} ${others[index]}`;
    const id = fresh.get(key);
    // The pair existed already, or twice in one body.
    if (id === undefined)
      (problems as Record<string, Problem[]>).non_field_errors = [{ code: 'not_unique' }];
    fresh.delete(key);
    return id ?? 0;
  });
  assertGood(items, isSingle);
  const addedTo = (id: string) => others.filter((_, index) => owners[index] === id);
  const entries = [...labels].map(([id, label]) => entryOf(source, { id, label }, [], addedTo(id)));
  await services.audit(tx, caller, ...entries);
  const where = sql`link.id = any (${ids}::bigint[])`;
  const pairs = await selectPairs(source, { where, caller }, tx);
  const written = new Map(pairs.map((row) => [row.id, row]));
  return ids.flatMap((id) => written.get(Number(id)) ?? []);
}

/** Removes one pair. @throws NotFound; Invalid if the owner requires the link */
export function removePair(
  source: PairSource,
  where: Readonly<Record<string, string | number>>,
  caller: Caller,
): Promise<void> {
  const { relation, link, services } = source;
  return unitOfWork(source)(caller, {}, async ({ tx }) => {
    const [row] = await selectPairs(source, { where: equalTo(source, where), caller }, tx);
    if (!row) throw notFound();
    const id = String(row[relation.owner.key]);
    const labels = await lockOwners(source, [id], tx);
    const gone = await sql`
      delete from ${sql.table(link.table)} link where link.id = ${row.id}`.execute(tx);
    if (!gone.rowCount) throw notFound();
    await assertEnoughLeft(source, id, tx);
    const entry = entryOf(
      source,
      { id, label: labels.get(id) },
      [String(row[relation.other.key])],
      [],
    );
    await services.audit(tx, caller, entry);
  });
}

/** @throws Invalid if an owner has fewer links than it requires */
async function assertEnoughLeft(
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
