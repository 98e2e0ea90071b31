import { randomBytes } from 'node:crypto';
import { StartError } from '../../config.ts';
import type { Db, Tx } from '../db/database.ts';
import { sql } from '../db/sql.ts';
import { newestReading } from '../gate.ts';
import {
  hasSecretKey,
  type KeyConfig,
  KeyLost,
  type MasterKey,
  missingKey,
  readMasterKeys,
} from './master-key.ts';
import {
  createVault,
  type DataKey,
  DIRECT,
  directKey,
  type KeyRing,
  PURPOSES,
  type Purpose,
  type Vault,
} from './vault.ts';

/** A sealed value that proves the key. */
const MARK = 'vault_check';
const MARK_CONTEXT = `setting.value.${MARK}`;

/** A data key as it is stored. */
export interface StoredDataKey {
  readonly id: string;
  readonly purpose: Purpose;
  readonly master_id: string;
  readonly wrapped: string;
  readonly state: 'coming' | 'active' | 'retired';
  readonly date_created: Date;
}

/** The data keys of an installation, opened by its master keys. */
export interface DataKeys extends KeyRing {
  readonly vault: Vault;
  /** Reads the keys again. Keys whose master key is not there stay closed. */
  reload(): Promise<void>;
  /** The stored keys as of the last reading, and those that no master key opens. */
  stored(): readonly StoredDataKey[];
  closed(): readonly StoredDataKey[];
}

/** The purposes that the secret key of an earlier version had. */
const DIRECT_PURPOSES = ['secrets', 'signatures', 'servers'] as const satisfies readonly Purpose[];

type Place = Pick<StoredDataKey, 'purpose' | 'id'>;

const contextOf = ({ purpose, id }: Place) => `data_key.${purpose}.${id}`;
/** The name of a data key in the reports of servers. */
export const nameOf = ({ purpose, id }: Place) => `${purpose} ${id}`;

/** Locks the table of data keys against other changes until the transaction ends. */
export const lockDataKeys = (tx: Tx) =>
  sql`select pg_advisory_xact_lock(hashtext('sallyport data keys'))`.execute(tx);

/** Reads the stored keys, the oldest first. */
export async function readDataKeys(db: Db | Tx): Promise<readonly StoredDataKey[]> {
  const { rows } = await sql<StoredDataKey>`
    select id, purpose, master_id, wrapped, state, date_created from data_key
      order by date_created, purpose`.execute(db);
  return rows;
}

/** Stores a data key, wrapped by a master key. */
export async function storeDataKey(
  tx: Tx,
  master: MasterKey,
  { id, bytes }: DataKey,
  { purpose, state }: Pick<StoredDataKey, 'purpose' | 'state'>,
): Promise<void> {
  const wrapped = await master.wrap(bytes, contextOf({ purpose, id }));
  await sql`insert into data_key (id, purpose, master_id, wrapped, state)
    values (${id}, ${purpose}, ${master.id}, ${wrapped}, ${state})`.execute(tx);
}

/** Wraps a stored data key by another master key. */
export async function rewrapDataKey(
  tx: Tx,
  master: MasterKey,
  { purpose, id, bytes }: DataKey & Place,
): Promise<void> {
  const wrapped = await master.wrap(bytes, contextOf({ purpose, id }));
  await sql`update data_key set master_id = ${master.id}, wrapped = ${wrapped}
    where purpose = ${purpose} and id = ${id}`.execute(tx);
}

/** A data key outside of its table, as in the manifest of a backup. */
export type WrappedDataKey = Pick<StoredDataKey, 'id' | 'purpose' | 'master_id' | 'wrapped'>;

/**
 * Opens a data key. Undefined if no master key wrapped it.
 * @throws StartError if the service of the master key cannot be used
 */
export async function openDataKey(
  masters: readonly MasterKey[],
  row: WrappedDataKey,
): Promise<Buffer | undefined> {
  const master = masters.find(({ id }) => id === row.master_id);
  return master?.unwrap(row.wrapped, contextOf(row)).catch((error: unknown) => {
    if (error instanceof StartError) throw error;
    return undefined;
  });
}

/** Makes a data key with a new id. */
export const newDataKey = (): DataKey => ({
  id: randomBytes(6).toString('hex'),
  bytes: randomBytes(32),
});

const otherKey = () =>
  new KeyLost(
    "The secrets in this database were sealed with another key. Give the one it was made with: SALLYPORT_SECRET_KEY_FILE='/path/to/secret.key' (the data folder of the first start holds it).",
  );

async function readMark(db: Db | Tx): Promise<string | undefined> {
  const { rows } = await sql<{
    value: string;
  }>`select value from setting where name = ${MARK}`.execute(db);
  return rows[0]?.value;
}

/** Returns true if the database has values of a key. */
async function wasSealed(tx: Tx): Promise<boolean> {
  const { rows } = await sql<{ was: boolean }>`
    select exists (select from data_key) or exists (select from audit_seal)
      or exists (select from setting where name = ${MARK}) as was`.execute(tx);
  return rows[0]?.was ?? false;
}

/** Replaces all data keys by new ones: the values of the old ones are lost. */
export async function replaceDataKeys(tx: Tx, masters: readonly MasterKey[]): Promise<void> {
  await lockDataKeys(tx);
  await sql`delete from data_key`.execute(tx);
  await storeFirst(tx, masters);
  await storeMissing(tx, masters);
}

const opensMark = (mark: string, key: Buffer): boolean => {
  try {
    return createVault(directKey(key)).open(mark, MARK_CONTEXT) !== '';
  } catch {
    return false;
  }
};

/**
 * Stores the first data keys. The secret key of an earlier version, which sealed values directly,
 * becomes the first of each purpose.
 * @throws StartError if another key sealed the database
 */
async function storeFirst(tx: Tx, masters: readonly MasterKey[]): Promise<void> {
  const [current] = masters;
  if (!current) throw new Error('there is no master key');
  const mark = await readMark(tx);
  const isOld = await wasSealed(tx);
  const direct = masters.find(
    ({ bytes }) => isOld && bytes && (mark === undefined || opensMark(mark, bytes)),
  );
  if (isOld && !direct) throw otherKey();
  for (const purpose of direct?.bytes ? DIRECT_PURPOSES : PURPOSES)
    await storeDataKey(
      tx,
      current,
      direct?.bytes ? { id: DIRECT, bytes: direct.bytes } : newDataKey(),
      { purpose, state: 'active' },
    );
}

/**
 * Stores keys for the purposes without an active one: those that an earlier version did not have.
 * The master key of the secrets wraps them, which every server of the installation holds.
 */
async function storeMissing(tx: Tx, masters: readonly MasterKey[]): Promise<void> {
  const active = (await readDataKeys(tx)).filter(({ state }) => state === 'active');
  const missing = PURPOSES.filter((purpose) => !active.some((row) => row.purpose === purpose));
  const secrets = active.find(({ purpose }) => purpose === 'secrets');
  const master = masters.find(({ id }) => id === secrets?.master_id);
  // Without that master key the caller rejects the database.
  if (!master) return;
  for (const purpose of missing)
    await storeDataKey(tx, master, newDataKey(), { purpose, state: 'active' });
}

/**
 * Opens the data keys of a database, and stores the first ones. With `canCreate`, a database that
 * no key has sealed gets a key file.
 *
 * @throws StartError if the secret key is missing, or another one sealed the database
 */
export async function openDataKeys(
  db: Db,
  config: KeyConfig,
  { canCreate = false }: { readonly canCreate?: boolean } = {},
): Promise<DataKeys> {
  const masters = await db.transaction(async (tx) => {
    await lockDataKeys(tx);
    const isMissing = !hasSecretKey(config) && !config.secretKeyFile;
    if (isMissing && (!canCreate || (await wasSealed(tx)))) throw missingKey(config);
    const read = await readMasterKeys(config, isMissing);
    if ((await readDataKeys(tx)).length === 0) await storeFirst(tx, read);
    await storeMissing(tx, read);
    return read;
  });
  const keys = new OpenedKeys(db, config, masters);
  await keys.reload();
  if (keys.closed().some(({ state }) => state === 'active')) throw otherKey();
  await sql`insert into setting (name, value)
    values (${MARK}, ${JSON.stringify(keys.vault.seal('sallyport', MARK_CONTEXT))}::jsonb)
    on conflict do nothing`.execute(db);
  try {
    keys.vault.open((await readMark(db)) ?? '', MARK_CONTEXT);
  } catch {
    throw otherKey();
  }
  return keys;
}

interface Reading {
  readonly rows: readonly StoredDataKey[];
  readonly opened: ReadonlyMap<string, Buffer>;
}

class OpenedKeys implements DataKeys {
  readonly vault: Vault;
  readonly reload: () => Promise<void>;
  readonly #config: KeyConfig;
  #masters: readonly MasterKey[];
  #reading: Reading = { rows: [], opened: new Map() };
  readonly #active = new Map<Purpose, DataKey>();

  constructor(db: Db, config: KeyConfig, masters: readonly MasterKey[]) {
    this.#config = config;
    this.#masters = masters;
    this.vault = createVault(this, config.suite);
    this.reload = newestReading(
      () => this.#read(db),
      (reading) => this.#keep(reading),
    );
  }

  active(purpose: Purpose): DataKey {
    const key = this.#active.get(purpose);
    if (!key) throw new Error(`there is no data key for ${purpose}`);
    return key;
  }

  find = (purpose: Purpose, id: string) => this.#reading.opened.get(nameOf({ purpose, id }));
  stored = () => this.#reading.rows;
  closed = () => this.#reading.rows.filter((row) => !this.#reading.opened.has(nameOf(row)));

  async #read(db: Db): Promise<Reading> {
    const rows = await readDataKeys(db);
    const known = this.#reading.opened;
    const isNew = (row: StoredDataKey) => !known.has(nameOf(row));
    const hasMaster = (row: StoredDataKey) => this.#masters.some(({ id }) => id === row.master_id);
    // A rotation writes the new master key into the key file while the server runs.
    if (rows.some((row) => isNew(row) && !hasMaster(row)))
      this.#masters = await readMasterKeys(this.#config).catch(() => this.#masters);
    const opened = new Map<string, Buffer>();
    for (const row of rows) {
      const bytes = known.get(nameOf(row)) ?? (await openDataKey(this.#masters, row));
      if (bytes) opened.set(nameOf(row), bytes);
    }
    return { rows, opened };
  }

  #keep(reading: Reading): void {
    this.#reading = reading;
    for (const { state, purpose, id } of reading.rows) {
      const bytes = reading.opened.get(nameOf({ purpose, id }));
      // A key that is closed here cannot seal; the previous one still can.
      if (state === 'active' && bytes) this.#active.set(purpose, { id, bytes });
    }
  }
}
