import { prefixOf, type Vault } from '../../platform/crypto/vault.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';

/** A place of sealed values. `TABLE.COLUMN.KEY` is the context of each. */
interface SealedColumn {
  readonly table: string;
  /** The column whose value ends the context. */
  readonly key: string;
  /** The name in the context. */
  readonly column: string;
  /** The column that holds it within JSON. */
  readonly json?: string;
  /** True if the row is worthless without the value. */
  readonly isRow?: boolean;
  /** Values per statement. Default: `BATCH`. */
  readonly batch?: number;
}

const rows = (table: string, ...columns: string[]): SealedColumn[] =>
  columns.map((column) => ({ table, key: 'id', column }));
const previous = (table: string, ...columns: string[]): SealedColumn[] =>
  columns.map((column) => ({ table, key: 'id', column, json: 'previous_secrets' }));

const ACCOUNT = ['password', 'private_key', 'public_key'];

/**
 * All places of sealed values that outlive an hour. Left out are the inputs of waiting jobs, the
 * answers of identity providers and the results of agents: they end by themselves, and retired keys
 * open them until then.
 */
export const SEALED_COLUMNS: readonly SealedColumn[] = [
  ...rows('admin_user', ...ACCOUNT),
  ...previous('admin_user', ...ACCOUNT),
  ...rows('system_account', ...ACCOUNT),
  ...previous('system_account', ...ACCOUNT),
  ...rows('asset_user', ...ACCOUNT),
  ...rows('gateway', 'password', 'private_key'),
  ...rows('remote_app', 'password'),
  ...rows('replay_storage', 'access_key', 'secret_key', 'account_key'),
  ...rows('command_storage', 'password'),
  ...rows('cloud_account', 'access_key_secret'),
  ...rows('event_receiver', 'secret'),
  ...rows('change_auth_plan', 'password', 'private_key'),
  ...rows('change_auth_execution', 'password', 'private_key'),
  ...rows('change_auth_subtask', 'pending'),
  { table: 'access_key', key: 'id', column: 'secret', isRow: true },
  { table: 'totp', key: 'user_id', column: 'secret', isRow: true },
  { table: 'totp_offer', key: 'holder', column: 'secret', isRow: true },
  { table: 'ssh_authority', key: 'id', column: 'private_key', isRow: true },
  { table: 'listener_key', key: 'type', column: 'private_key', isRow: true },
  { table: 'provider_key', key: 'name', column: 'private_key', isRow: true },
  { table: 'sm2_key', key: 'id', column: 'private_key', isRow: true },
  { table: 'change_set_secret', key: 'id', column: 'value', isRow: true },
  // A document has up to 8 MiB.
  { table: 'deleted_object', key: 'id', column: 'document', isRow: true, batch: 5 },
  { table: 'undo_script', key: 'id', column: 'content', isRow: true },
  { table: 'setting', key: 'name', column: 'value', json: 'value', isRow: true },
];

const BATCH = 200;

/** Counts the sealed values of all places by the id of their data key. */
export const countSealed = (db: Db): Promise<ReadonlyMap<string, number>> =>
  db.transaction(async (tx) => {
    await sql`set local statement_timeout = 0`.execute(tx);
    return countIn(tx);
  });

async function countIn(db: Tx): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  for (const { table, column, json } of SEALED_COLUMNS) {
    const { rows: found } = await sql<{ id: string; amount: number }>`
      select id, amount from count_sealed(${table}, ${column}, ${json ?? null})`.execute(db);
    for (const { id, amount } of found) counts.set(id, (counts.get(id) ?? 0) + amount);
  }
  return counts;
}

/** The result of sealing values again. */
export interface Resealed {
  readonly changed: number;
  /** Places, as `TABLE.COLUMN.KEY`, whose value no data key opens. */
  readonly unreadable: readonly string[];
}

/**
 * Seals every value again that another data key than `active` has sealed. A value that a server
 * changes meanwhile keeps the change.
 */
export async function resealAll(db: Db, vault: Vault, active: string): Promise<Resealed> {
  let changed = 0;
  const unreadable: string[] = [];
  for (const place of SEALED_COLUMNS) {
    const { batch: size = BATCH } = place;
    let after: string | undefined;
    do {
      const batch = await readBatch(db, place, { active, after });
      after = batch.length < size ? undefined : batch.at(-1)?.key;
      const sealed = batch.flatMap(({ key, value }) => {
        const context = `${place.table}.${place.column}.${key}`;
        try {
          return [{ key, value, sealed: vault.seal(vault.open(value, context), context) }];
        } catch {
          unreadable.push(context);
          return [];
        }
      });
      if (sealed.length > 0) changed += await writeBatch(db, place, sealed);
    } while (after !== undefined);
  }
  return { changed, unreadable };
}

/** Values of each place that a sample opens. */
const SAMPLE = 20;
/** A prefix that no sealed value has: `sealed_values` leaves those with a prefix out. */
const NO_PREFIX = '-';

/** Opens some values of each place; returns their number, and the places of unreadable ones. */
export async function openSample(
  db: Db,
  vault: Vault,
): Promise<{ readonly opened: number; readonly unreadable: readonly string[] }> {
  let opened = 0;
  const unreadable: string[] = [];
  for (const { table, key, column, json, batch = SAMPLE } of SEALED_COLUMNS) {
    const { rows: found } = await sql<StoredValue>`
      select key, value from sealed_values(${table}, ${key}, ${column}, ${json ?? null},
        ${NO_PREFIX}, null, ${Math.min(SAMPLE, batch)})`.execute(db);
    for (const { key: row, value } of found) {
      const context = `${table}.${column}.${row}`;
      try {
        vault.open(value, context);
        opened += 1;
      } catch {
        unreadable.push(context);
      }
    }
  }
  return { opened, unreadable };
}

interface StoredValue {
  readonly key: string;
  readonly value: string;
}

async function readBatch(
  db: Db,
  { table, key, column, json, batch = BATCH }: SealedColumn,
  { active, after }: { readonly active: string; readonly after: string | undefined },
): Promise<readonly StoredValue[]> {
  return db.transaction(async (tx) => {
    await sql`set local statement_timeout = 0`.execute(tx);
    const { rows: found } = await sql<StoredValue>`
    select key, value from sealed_values(${table}, ${key}, ${column}, ${json ?? null},
      ${prefixOf(active)}, ${after ?? null}, ${batch})`.execute(tx);
    return found;
  });
}

async function writeBatch(
  db: Db,
  { table, key, column, json }: SealedColumn,
  values: readonly (StoredValue & { readonly sealed: string })[],
): Promise<number> {
  const { rows: found } = await sql<{ changed: number }>`
    select reseal(${table}, ${key}, ${column}, ${json ?? null},
      ${values.map((one) => one.key)}::text[], ${values.map((one) => one.value)}::text[],
      ${values.map(({ sealed }) => sealed)}::text[]) as changed`.execute(db);
  return found[0]?.changed ?? 0;
}
