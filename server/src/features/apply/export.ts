import { commandFilter, commandFilterRule, node, writableFields } from '@sallyport/contract';
import { assertAccess } from '../../http/route.ts';
import type { Caller } from '../../platform/actor.ts';
import type { Db } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import { invalid } from '../../platform/errors.ts';
import { type Engines, engineOf, type ResourceEngine } from '../../resources/engines.ts';
import type { StoredRow } from '../../resources/hooks.ts';
import { scopeOf } from '../../resources/read/scope.ts';
import { readRulesOf } from './filter-rules.ts';
import { type FileObject, KINDS } from './objects.ts';

/** A request for the present objects, of some kinds or of all. */
export interface Export {
  readonly kinds: readonly string[];
  readonly most: number;
  readonly caller: Caller;
  readonly db: Db;
  readonly engines: Engines;
}

/**
 * Returns the present objects as a file would name them: every field that is set and that a file
 * may hold, with names instead of ids. To apply them changes nothing.
 * @throws Invalid for more than `most` objects
 */
export async function presentObjects(request: Export): Promise<FileObject[]> {
  const objects: FileObject[] = [];
  for (const { resource } of KINDS) {
    if (!request.kinds.includes(resource.name)) continue;
    const engine = engineOf(request.engines, resource);
    assertAccess(resource.access.read ?? 0, request.caller.actor, request.caller.language);
    for await (const fields of fieldsOfAll(engine, request)) {
      objects.push({ kind: resource.name, state: 'present', fields });
      if (objects.length > request.most)
        throw invalid('kind', 'list_too_long', { max: request.most });
    }
  }
  return objects;
}

const IN_NAMES = new URLSearchParams({ references: 'names' });

async function* fieldsOfAll(
  engine: ResourceEngine,
  { caller, db, engines }: Export,
): AsyncGenerator<FileObject['fields']> {
  const { resource, reader, hooks } = engine;
  if (resource.name === node.name) {
    const { rows } = await sql<{ path: string }>`
      select ${hooks.inFiles?.name ?? sql`t.value`} as path from node t
      where ${scopeOf(engine, caller)} and t.parent_id is not null order by 1`.execute(db);
    yield* rows;
    return;
  }
  for await (const rows of reader.stream(IN_NAMES, caller, true))
    for (const row of rows) {
      const fields = setFields(engine, row);
      if (resource.name !== commandFilter.name) yield fields;
      else {
        const rules = engineOf(engines, commandFilterRule);
        const source = { engine: rules, caller, tx: db, filter: String(row.id) };
        yield { ...fields, rules: await readRulesOf(source) };
      }
    }
}

function setFields({ resource }: ResourceEngine, row: StoredRow): FileObject['fields'] {
  const kept = writableFields(resource).filter(([name, field]) => {
    if (name === 'id' || field.kind === 'secret' || field.mode === 'writeonly') return false;
    const value = row[name];
    return value !== null && value !== undefined && value !== '' && !isEmptyList(value);
  });
  return Object.fromEntries(kept.map(([name]) => [name, row[name]]));
}

const isEmptyList = (value: unknown) => Array.isArray(value) && value.length === 0;
