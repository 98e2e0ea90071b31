import { type FieldProblems, type Resource, writableFields } from '@sallyport/contract';
import { sql } from 'kysely';
import type { Vault } from '../platform/crypto/vault.ts';
import { Invalid } from '../platform/errors.ts';
import { refusalOfDatabase } from './database-refusal.ts';
import { otherDuplicates } from './duplicates.ts';
import type { MountedResource, Registry } from './hooks.ts';
import { replaceManyLinks } from './links.ts';
import type { Operation } from './operation.ts';
import { type Item, isBad } from './plan.ts';
import { problemsOf } from './problems.ts';
import { insertRows, updateRow } from './rows.ts';

/** Rows that are written together: few enough for one statement's parameters. */
const CHUNK = 500;

/** Writes the rows of good items; what the database refuses becomes the problem of the item it refused. */
export async function writeRows(
  mounted: MountedResource,
  items: readonly Item[],
  vault: Vault,
  operation: Operation,
  written: (rows: number) => void,
) {
  const good = items.filter((item) => !isBad(item));
  written(items.length - good.length);
  const only = items.length === 1 ? good[0] : undefined;
  if (only && !hasSeveralUnique(mounted.resource)) {
    // A transaction with one row ends with it: there is nothing to return to.
    Object.assign(
      only.problems,
      await refusedBy(mounted.resource, () => write(mounted, [only], vault, operation)),
    );
    written(1);
    return;
  }
  // Together first, because that is quick; one by one only where that fails, to hear about each.
  for (let start = 0; start < good.length; start += CHUNK) {
    const chunk = good.slice(start, start + CHUNK);
    const isNew = chunk.map((item) => item.id === '');
    const refused = await attempt(mounted.resource, operation, () =>
      write(mounted, chunk, vault, operation),
    );
    if (Object.keys(refused).length === 0) {
      written(chunk.length);
      continue;
    }
    for (const [index, item] of chunk.entries()) {
      if (isNew[index]) item.id = '';
      Object.assign(
        item.problems,
        await attempt(mounted.resource, operation, () => write(mounted, [item], vault, operation)),
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

/** Whether a row can be a duplicate in several ways; the database names one, and the others are asked for. */
const hasSeveralUnique = (resource: Resource): boolean =>
  Object.values(resource.fields).filter((field) => field.kind === 'text' && field.unique).length >
  1;

/** Makes the links of saved items what their bodies say, field by field. */
export async function writeLinks(
  mounted: MountedResource,
  items: readonly Item[],
  registry: Registry,
  { caller, tx }: Operation,
): Promise<void> {
  for (const [name, field] of writableFields(mounted.resource)) {
    const owners = items.filter((item) => field.kind === 'many' && name in item.values);
    const wanted = owners.map((item) => ({
      own: item.id,
      others: item.values[name] as string[],
      isNew: !item.previous,
    }));
    if (wanted.length > 0) await replaceManyLinks(mounted, name, wanted, registry, caller, tx);
  }
}

async function write(
  mounted: MountedResource,
  items: readonly Item[],
  vault: Vault,
  operation: Operation,
): Promise<void> {
  const { hooks } = mounted;
  for (const item of items)
    if (item.previous) await updateRow(mounted, item.id, item.values, vault, operation.tx);
  const fresh = items.filter((item) => !item.previous);
  if (fresh.length === 0) return;
  if (hooks.insert) {
    for (const item of fresh) item.id = await hooks.insert(item.values, operation);
    return;
  }
  const bodies = fresh.map((item) => item.values);
  const ids = await insertRows(mounted, bodies, vault, operation.caller, operation.tx);
  for (const [index, item] of fresh.entries()) item.id = ids[index] ?? '';
}

/** Does something, and undoes it when it is refused for a field's sake. */
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

/** The problems with which rules or the database refuse some work. Other errors of the database go on as they are: they concern the whole write. */
function refusedBy(resource: Resource, work: () => Promise<void>): Promise<FieldProblems> {
  return problemsOf(() =>
    work().catch((error: unknown) => {
      const refusal = refusalOfDatabase(error, resource);
      throw refusal instanceof Invalid ? refusal : error;
    }),
  );
}
