import { actionNames, choicesOf, formatDatetime, say, targetOf } from '@sallyport/contract';
import type { Caller } from '../../platform/actor.ts';
import { sql } from '../../platform/db/sql.ts';
import type { MountedResource, Reading, ResourceSource, StoredRow } from '../hooks.ts';
import { linkOf, type Shown } from './columns.ts';
import { targetScopeOf } from './scope.ts';

/** Fills in the links of rows, with one query for all fields. */
export async function attachLinks(
  { mounted, registry }: ResourceSource,
  rows: StoredRow[],
  { caller, db }: Reading,
  fields: Shown,
): Promise<void> {
  const names = fields.filter(([, field]) => field.kind === 'many').map(([name]) => name);
  if (rows.length === 0 || names.length === 0) return;
  const ids = rows.map((row) => row.id);
  const linksOf = (name: string) => {
    const link = linkOf(mounted.resource, name, registry);
    const target = registry.get(targetOf(mounted.resource.fields[name]) ?? '');
    const otherId = sql.ref(`link.${link.other}`);
    const other = link.reverse
      ? sql``
      : sql`join ${sql.table(target?.resource.table ?? '')} t on t.id = ${otherId}`;
    // Hide links to other organizations, such as a user's groups there.
    const scope =
      target && !link.reverse ? targetScopeOf(mounted, name, target, caller) : sql`true`;
    return sql`
      select ${name}::text as field, ${sql.ref(`link.${link.own}`)} as own,
        array_agg(${otherId} order by ${otherId})::text[] as others
      from ${sql.table(link.table)} link ${other}
      where ${sql.ref(`link.${link.own}`)} = any (${ids}::uuid[]) and ${scope} group by 2`;
  };
  const links = await sql<{
    field: string;
    own: string;
    others: string[];
  }>`${sql.join(names.map(linksOf), sql` union all `)}`.execute(db);
  const byOwner = new Map(links.rows.map((row) => [`${row.field} ${row.own}`, row.others]));
  for (const row of rows)
    for (const name of names) row[name] = byOwner.get(`${name} ${row.id}`) ?? [];
}

interface WireView {
  readonly mounted: MountedResource;
  readonly fields: Shown;
  readonly caller: Caller;
  readonly organizationNames: ReadonlyMap<string, string>;
}

/** Converts a stored row to wire form: dates in the zone of the caller, choices in words. */
export function toWire(
  row: StoredRow,
  { mounted, fields, caller, organizationNames }: WireView,
): StoredRow {
  const wire: StoredRow = {};
  for (const [name, field] of fields) {
    let value = row[name];
    const from = field.kind === 'computed' ? field.computedFrom : undefined;
    if (value instanceof Date) value = formatDatetime(value, caller.zone);
    else if (field.kind === 'flags') value = actionNames(Number(value));
    else if (from && 'choiceLabel' in from) {
      const choice = choicesOf(mounted.resource.fields[from.choiceLabel])?.find(
        (candidate) => candidate.value === row[from.choiceLabel],
      );
      value = choice ? say(choice.label, caller.language) : String(row[from.choiceLabel] ?? '');
    } else if (from && 'organizationName' in from)
      value = organizationNames.get(String(row.org_id ?? ''));
    wire[name] = value ?? null;
  }
  return wire;
}
