import {
  type Field,
  isUuid,
  type Problem,
  type Resource,
  targetOf,
  writableFields,
} from '@sallyport/contract';
import { mayUse } from '../../platform/actor.ts';
import type { Tx } from '../../platform/db/database.ts';
import { type Sql, sql } from '../../platform/db/sql.ts';
import type {
  MountedResource,
  Operation,
  Reading,
  Registry,
  ResourceSource,
  StoredRow,
  Values,
} from '../hooks.ts';
import type { Shown } from '../read/columns.ts';
import { targetScopeOf } from '../read/scope.ts';
import { problemsOf } from '../write/problems.ts';

/** Compared characters per name. */
const COMPARED = 64;

/** Levenshtein distance of two texts. */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let at = 0; at < one.length; at++) {
    const next = [at + 1];
    for (let to = 0; to < other.length; to++) {
      const replaced = (row[to] ?? 0) + (one[at] === other[to] ? 0 : 1);
      next.push(Math.min(replaced, (row[to + 1] ?? 0) + 1, (next[to] ?? 0) + 1));
    }
    row = next;
  }
  return row[other.length] ?? 0;
}

/** Sorts names by similarity to a text. */
export function nearestFirst(text: string, names: readonly string[]): string[] {
  const key = (value: string) => value.toLowerCase().slice(0, COMPARED);
  const target = key(text);
  return names
    .map((name) => ({ name, distance: distance(target, key(name)) }))
    .toSorted((one, other) => one.distance - other.distance)
    .map(({ name }) => name);
}

/** Linked objects of a body by field, as files name them; some may be ids. */
export type Names = Readonly<Record<string, readonly string[]>>;

/** Maximum names that are searched for similar ones. */
const CANDIDATES = 500;
const SHOWN = 6;
/** PostgreSQL text cannot contain NUL, so it never matches a name. */
const NUL = '\u0000';

const fileNameOf = ({ resource, hooks }: MountedResource): Sql =>
  hooks.inFiles?.name ?? sql.ref(`t.${resource.labelField}`);

/**
 * Returns true if files write the field by name: it links to objects, or its values are names of
 * objects.
 */
export const isNamed = (field: Field): boolean =>
  field.kind === 'reference' ||
  field.kind === 'many' ||
  (field.kind === 'text' && targetOf(field) !== undefined);

/** A draft that may link by name. */
interface Naming {
  readonly names: Names;
  readonly values: Values;
  readonly problems: Record<string, Problem[]>;
}

interface Found {
  readonly id: string;
  readonly name: string;
}

/**
 * Resolves the names that items link to, with one query per field. An unknown name becomes a
 * problem that lists similar names.
 */
export async function resolveNames(
  mounted: MountedResource,
  items: readonly Naming[],
  registry: Registry,
  operation: Operation,
): Promise<void> {
  for (const [name, field] of writableFields(mounted.resource)) {
    const naming = items.filter((item) => item.names[name] !== undefined);
    const target = registry.get(targetOf(field) ?? '');
    if (naming.length === 0 || !target) continue;
    const scope = targetScopeOf(mounted, name, target, operation.caller);
    const read = (item: Naming) =>
      (item.names[name] ?? []).map((text) =>
        isUuid(text) ? text : (target.hooks.inFiles?.read?.(text) ?? text),
      );
    const texts = [...new Set(naming.flatMap(read))].filter(
      (text) => !isUuid(text) && !text.includes(NUL),
    );
    const objects = await findByName(target, texts, scope, operation.tx);
    const finder = createFinder(target, objects, scope, operation);
    for (const item of naming) {
      const links: Found[] = [];
      const problems: Problem[] = [];
      for (const text of read(item)) {
        const result = text.includes(NUL) ? ({ code: 'nul_byte' } as const) : await finder(text);
        if ('code' in result) problems.push(result);
        else links.push(result);
      }
      const problem = problems[0] ?? tooFew(field, links.length);
      if (problem) item.problems[name] = [problem];
      else if (field.kind === 'many') item.values[name] = [...new Set(links.map(({ id }) => id))];
      else item.values[name] = field.kind === 'text' ? links[0]?.name : links[0]?.id;
    }
  }
}

const tooFew = (field: Field, count: number): Problem | undefined =>
  field.kind === 'many' && count < field.minItems ? { code: 'list_empty' } : undefined;

/** Returns a function that resolves one text. Results for one item are reused for the others. */
function createFinder(
  target: MountedResource,
  found: ReadonlyMap<string, readonly Found[]>,
  scope: Sql,
  operation: Operation,
) {
  const known = new Map<string, Found | Problem>();
  let candidates: Promise<readonly string[]> | undefined;
  const unknown = async (text: string): Promise<Problem> => {
    candidates ??= candidatesOf(target, scope, operation);
    return unknownName(target.resource, text, await candidates);
  };
  const missing = async (text: string): Promise<Found | Problem> => {
    const created: { id?: string | undefined } = {};
    const problems = await problemsOf(async () => {
      created.id = await target.hooks.inFiles?.create?.(text, operation);
    });
    const [problem] = Object.values(problems).flat();
    if (problem) return problem;
    return created.id === undefined ? unknown(text) : { id: created.id, name: text };
  };
  return async (text: string): Promise<Found | Problem> => {
    if (isUuid(text)) return { id: text.toLowerCase(), name: text };
    const before = known.get(text);
    if (before) return before;
    const all = found.get(text) ?? [];
    // Case only matters if several names differ in case alone.
    const exact = all.filter(({ name }) => name === text);
    const matching = exact.length > 0 ? exact : all;
    const [only] = matching;
    const result =
      matching.length > 1
        ? ({
            code: 'ambiguous_name',
            params: { what: nounOf(target.resource), value: text.slice(0, 64) },
          } as const)
        : (only ?? (await missing(text)));
    known.set(text, result);
    return result;
  };
}

/** Finds the objects with these names as files write them; case is ignored. */
export async function findByName(
  target: MountedResource,
  texts: readonly string[],
  scope: Sql,
  tx: Tx,
): Promise<Map<string, Found[]>> {
  const objects = new Map<string, Found[]>();
  if (texts.length === 0) return objects;
  const among = target.hooks.inFiles?.among?.(texts) ?? sql`true`;
  const { rows } = await sql<Found & { text: string }>`
    with named as materialized (
      select t.id, ${fileNameOf(target)} as name from ${sql.table(target.resource.table)} t
      where lower(${fileNameOf(target)}) = any (select lower(wanted)
      from unnest(${texts}::text[]) wanted) and ${among} and ${scope})
    select wanted.text, named.id, named.name from unnest(${texts}::text[]) as wanted (text)
    join named on lower(named.name) = lower(wanted.text)`.execute(tx);
  for (const { text, ...row } of rows) objects.set(text, [...(objects.get(text) ?? []), row]);
  return objects;
}

/** Returns names that the caller may read, as candidates for suggestions. */
async function candidatesOf(
  target: MountedResource,
  scope: Sql,
  { caller, tx }: Operation,
): Promise<readonly string[]> {
  if (!mayUse(caller.actor, target.resource, 'read')) return [];
  const { rows } = await sql<{ name: string }>`
    select ${fileNameOf(target)} as name from ${sql.table(target.resource.table)} t where ${scope}
    order by ${sql.ref(`t.${target.resource.labelField}`)} limit ${CANDIDATES}`.execute(tx);
  return rows.map(({ name }) => name);
}

/** Returns the title of one object, for the middle of a sentence. */
const nounOf = ({ title }: Resource) => ({ en: title.en.toLowerCase(), zh: title.zh });

function unknownName(resource: Resource, text: string, candidates: readonly string[]): Problem {
  const common = { what: nounOf(resource), value: text.slice(0, 64) };
  if (candidates.length === 0) return { code: 'unknown_name_none', params: common };
  const suggestions = nearestFirst(text, candidates)
    .slice(0, SHOWN)
    .map((name) => name.slice(0, 64));
  const more = candidates.length > SHOWN ? ' …' : '';
  return {
    code: 'unknown_name',
    params: {
      ...common,
      names: { en: `${suggestions.join(', ')}${more}`, zh: `${suggestions.join('、')}${more}` },
    },
  };
}

/** Replaces linked ids by names for a file. Objects without a unique name keep their id. */
export async function writeNames(
  { mounted, registry }: ResourceSource,
  rows: readonly StoredRow[],
  { caller, db }: Reading,
  shown: Shown,
): Promise<void> {
  for (const [name, field] of shown) {
    const target =
      field.kind === 'reference' || field.kind === 'many' ? registry.get(field.target) : undefined;
    const ids = target
      ? [
          ...new Set(
            rows.flatMap((row) => [row[name]].flat()).filter((id) => typeof id === 'string'),
          ),
        ]
      : [];
    if (!target || ids.length === 0) continue;
    const objects = await sql<Found>`
      select t.id, ${fileNameOf(target)} as name from ${sql.table(target.resource.table)} t
      where t.id = any (${ids}::uuid[]) and
      ${targetScopeOf(mounted, name, target, caller)}`.execute(db);
    const names = new Map(objects.rows.map((row) => [row.id, row.name]));
    for (const row of rows) {
      const value = row[name];
      if (Array.isArray(value))
        row[name] = value.map((id: string) => names.get(id) ?? id).toSorted();
      else if (typeof value === 'string') row[name] = names.get(value) ?? value;
    }
  }
}
