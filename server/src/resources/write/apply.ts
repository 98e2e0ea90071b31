import { type FieldProblems, type Resource, writableFields } from '@sallyport/contract';
import { sql } from '../../platform/db/sql.ts';
import { Invalid } from '../../platform/errors.ts';
import type { ResourceSource } from '../hooks.ts';
import { replaceManyLinks } from '../relations/links.ts';
import { refusalOfDatabase } from './database-refusal.ts';
import { otherDuplicates } from './duplicates.ts';
import type { Operation } from './operation.ts';
import { type Item, isBad } from './plan.ts';
import { problemsOf } from './problems.ts';
import { insertRows, updateRow } from './rows.ts';

/** Rows per statement; PostgreSQL limits the parameters of one. */
const CHUNK = 500;

/** Writes the rows of valid items. A rejection by the database becomes a problem of its item. */
export async function writeRows(
  source: ResourceSource,
  items: readonly Item[],
  operation: Operation,
  written: (rows: number) => void,
) {
  const { mounted } = source;
  const good = items.filter((item) => !isBad(item));
  written(items.length - good.length);
  const only = items.length === 1 ? good[0] : undefined;
  if (only && !hasSeveralUnique(mounted.resource)) {
    // A transaction with one row ends with it, so it needs no savepoint.
    Object.assign(
      only.problems,
      await refusedBy(mounted.resource, () => write(source, [only], operation)),
    );
    written(1);
    return;
  }
  // Write the chunk at once; only after a failure row by row, to find the problem of each row.
  for (let start = 0; start < good.length; start += CHUNK) {
    const chunk = good.slice(start, start + CHUNK);
    const isNew = chunk.map((item) => item.id === '');
    const refused = await attempt(mounted.resource, operation, () =>
      write(source, chunk, operation),
    );
    if (Object.keys(refused).length === 0) {
      written(chunk.length);
      continue;
    }
    for (const [index, item] of chunk.entries()) {
      if (isNew[index]) item.id = '';
      Object.assign(
        item.problems,
        await attempt(mounted.resource, operation, () => write(source, [item], operation)),
      );
      if (isBad(item))
        Object.assign(
          item.problems,
          await otherDuplicates(mounted, item, operation.caller, operation.tx),
        );
      written(1);
    }
  }
}

/**
 * Returns true if a row can violate several unique fields. The database names one; the engine looks
 * up the others.
 */
const hasSeveralUnique = (resource: Resource): boolean =>
  Object.values(resource.fields).filter((field) => field.kind === 'text' && field.unique).length >
  1;

/** Replaces the links of saved items by the links in their bodies, field by field. */
export async function writeLinks(
  source: ResourceSource,
  items: readonly Item[],
  operation: Operation,
): Promise<void> {
  for (const [name, field] of writableFields(source.mounted.resource)) {
    const owners = items.filter((item) => field.kind === 'many' && name in item.values);
    const links = owners.map((item) => ({
      own: item.id,
      others: item.values[name] as string[],
      isNew: !item.previous,
    }));
    if (links.length > 0) await replaceManyLinks(source, name, links, operation);
  }
}

async function write(
  source: ResourceSource,
  items: readonly Item[],
  operation: Operation,
): Promise<void> {
  const { hooks } = source.mounted;
  for (const item of items) if (item.previous) await updateRow(source, item, operation.tx);
  const fresh = items.filter((item) => !item.previous);
  if (fresh.length === 0) return;
  if (hooks.insert) {
    for (const item of fresh) item.id = await hooks.insert(item.values, operation);
    return;
  }
  const bodies = fresh.map((item) => item.values);
  const ids = await insertRows(source, bodies, operation);
  for (const [index, item] of fresh.entries()) item.id = ids[index] ?? '';
}

/** Runs `work` in a savepoint and rolls back if a field is rejected. */
async function attempt(
  resource: Resource,
  { tx }: Operation,
  work: () => Promise<void>,
): Promise<FieldProblems> {
  await sql`savepoint attempt`.execute(tx);
  const problems = await refusedBy(resource, work);
  await (Object.keys(problems).length > 0
    ? sql`rollback to savepoint attempt`
    : sql`release savepoint attempt`
  ).execute(tx);
  return problems;
}

/**
 * Returns the problems with which rules or the database reject `work`. Rethrows other database
 * errors: they concern the whole write.
 */
function refusedBy(resource: Resource, work: () => Promise<void>): Promise<FieldProblems> {
  return problemsOf(() =>
    work().catch((error: unknown) => {
      const refusal = refusalOfDatabase(error, resource);
      throw refusal instanceof Invalid ? refusal : error;
    }),
  );
}
