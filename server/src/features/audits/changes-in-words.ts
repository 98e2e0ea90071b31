import {
  AUDIT_FIELDS,
  type ChangedObject,
  type ChangeInWords,
  choicesOf,
  type Field,
  formatDatetime,
  isUuid,
  type Language,
  parseDatetime,
  RESOURCES,
  type Resource,
  SETTING_FIELDS,
  say,
  targetOf,
} from '@sallyport/contract';
import type { Caller } from '../../platform/actor.ts';
import type { Db } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import type { StoredRow } from '../../resources/hooks.ts';

type Pair = readonly [unknown, unknown];
/** The name of an object. `isHere` is true if the caller's organization contains it. */
interface Known {
  readonly name: string;
  readonly isHere: boolean;
}
type Names = ReadonlyMap<string, Known>;
interface Entry {
  readonly resource: Resource | undefined;
  readonly changes: readonly (readonly [name: string, pair: Pair])[];
}

const YES = { en: 'Yes', zh: '是' };
const NO = { en: 'No', zh: '否' };

const isPair = (value: unknown): value is Pair => Array.isArray(value) && value.length === 2;

/**
 * Sorts the changes of a row by the order of the fields in forms. The database stores them in
 * another order.
 */
function entryOf(row: StoredRow): Entry {
  const resource = RESOURCES.find(({ name }) => name === row.resource_type);
  const order = Object.keys(resource?.fields ?? {});
  const changes = Object.entries((row.changes ?? {}) as Record<string, unknown>).filter(
    (one): one is [string, Pair] => isPair(one[1]),
  );
  return {
    resource,
    changes: changes.toSorted(([one], [other]) => order.indexOf(one) - order.indexOf(other)),
  };
}

/** The resource of the ids in a change. */
function targetOfChange(resource: Resource | undefined, name: string): string | undefined {
  return name.startsWith('assets_') ? 'asset' : targetOf(resource?.fields[name]);
}

/** The names of all objects in changes. Deleted objects have their last name in the log. */
async function namesIn(entries: readonly Entry[], organizationId: string, db: Db): Promise<Names> {
  const idsByTarget = new Map<string, Set<string>>();
  for (const { resource, changes } of entries) {
    for (const [name, pair] of changes) {
      const target = targetOfChange(resource, name);
      if (!target) continue;
      const ids = idsByTarget.get(target) ?? new Set();
      for (const id of pair.flat(2)) if (isUuid(id)) ids.add(id);
      idsByTarget.set(target, ids);
    }
  }
  const names = new Map<string, Known>();
  for (const [target, ids] of idsByTarget) {
    const resource = RESOURCES.find(({ name }) => name === target);
    if (!resource || ids.size === 0) continue;
    const isHere = resource.scope === 'org' ? sql`org_id = ${organizationId}` : sql`true`;
    const there = await sql<{ id: string; name: string; here: boolean }>`
      select id, ${sql.ref(resource.labelField)} as name, ${isHere} as here
        from ${sql.table(resource.table)} where id = any(${[...ids]}::uuid[])`.execute(db);
    const gone = await sql<{ id: string; name: string }>`
      select distinct on (resource_id) resource_id as id, resource as name from operate_log
      where resource_id = any(${[...ids]}) and resource_type = ${target} order by resource_id,
        datetime desc`.execute(db);
    for (const { id, name } of gone.rows) names.set(id, { name, isHere: false });
    for (const { id, name, here } of there.rows) names.set(id, { name, isHere: here });
  }
  return names;
}

/** A value as text. Empty if there is none. */
function textOf(
  value: unknown,
  field: Field | undefined,
  names: Names,
  { language, zone }: Pick<Caller, 'language' | 'zone'>,
): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value))
    return value
      .map((one) => textOf(one, field, names, { language, zone }))
      .join(say({ en: ', ', zh: '、' }, language));
  const choice = choicesOf(field)?.find((one) => String(one.value) === String(value));
  if (choice) return say(choice.label, language);
  if (typeof value === 'boolean') return say(value ? YES : NO, language);
  if (typeof value === 'object') return JSON.stringify(value);
  const text = String(value);
  const date = field?.kind === 'datetime' ? parseDatetime(text) : undefined;
  return date ? formatDatetime(date, zone) : (names.get(text)?.name ?? text);
}

/** The objects on one side of a change. */
function objectsOf(value: unknown, target: string | undefined, names: Names): ChangedObject[] {
  if (!target) return [];
  return [value].flat().flatMap((id): ChangedObject[] => {
    if (!isUuid(id)) return [];
    const known = names.get(id);
    return [{ name: known?.name ?? id, resource: target, id: known?.isHere ? id : null }];
  });
}

function labelOf(name: string, field: Field | undefined, language: Language): string {
  const label = field?.label ?? AUDIT_FIELDS[name];
  return label ? say(label, language) : name;
}

/**
 * Describes the changes of each row, field by field, in the language and time zone of the reader.
 */
export async function changesInWords(
  rows: readonly StoredRow[],
  context: Pick<Caller, 'actor' | 'language' | 'zone'>,
  db: Db,
): Promise<ChangeInWords[][]> {
  const entries = rows.map(entryOf);
  const names = await namesIn(entries, context.actor.organization.id, db);
  return entries.map(({ resource, changes }) =>
    changes.map(([name, [before, after]]) => {
      const field = resource?.fields[name] ?? SETTING_FIELDS.get(name);
      const word = (value: unknown) => textOf(value, field, names, context);
      const target = targetOfChange(resource, name);
      return {
        field: name,
        label: labelOf(name, field, context.language),
        before: word(before),
        after: word(after),
        before_objects: objectsOf(before, target, names),
        after_objects: objectsOf(after, target, names),
      };
    }),
  );
}

/** Joins changes to one text, for files. */
export function asText(changes: readonly ChangeInWords[]): string {
  return changes
    .map(({ label, before, after }) => `${label}: ${before || '-'} → ${after || '-'}`)
    .join('\n');
}
