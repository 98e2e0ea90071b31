import type { TextParams } from '@sallyport/contract';
import { certificateSentence, PEER } from '../../platform/certificate-problem.ts';
import type { Vault } from '../../platform/crypto/vault.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import { type Bucket, type Recordings, StorageError } from '../../platform/storage/recordings.ts';

/** A row of the storages. The secrets are sealed. */
export interface StorageRow {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly bucket: string;
  readonly endpoint: string;
  readonly region: string;
  readonly path_style: boolean;
  readonly access_key: string | null;
  readonly secret_key: string | null;
  readonly container_name: string;
  readonly account_name: string;
  readonly account_key: string | null;
  readonly endpoint_suffix: string;
  /** The row of the second bucket. */
  readonly second: Omit<StorageRow, 'second'> | null;
}

const COLUMNS = sql`r.id, r.name, r.type, r.bucket, r.endpoint, r.region, r.path_style,
  r.access_key, r.secret_key, r.container_name, r.account_name, r.account_key,
  r.endpoint_suffix, (select to_jsonb(b) from replay_storage b where b.id = r.second_id) as second`;

/**
 * Opens the secrets of a storage. Returns undefined for the types `server` (disk) and `null`
 * (none).
 */
export function bucketOf(row: Omit<StorageRow, 'second'>, vault: Vault): Bucket | undefined {
  if (row.type === 'server' || row.type === 'null') return undefined;
  const open = (name: 'access_key' | 'secret_key' | 'account_key') =>
    row[name] ? vault.open(row[name], `replay_storage.${name}.${row.id}`) : '';
  const endpoint = row.endpoint || undefined;
  if (row.type === 'azure')
    return {
      service: 'azure',
      container: row.container_name,
      account: row.account_name,
      key: open('account_key'),
      suffix: row.endpoint_suffix,
      endpoint,
    };
  return {
    service: 's3',
    bucket: row.bucket,
    endpoint,
    region: row.region || undefined,
    pathStyle: row.path_style || row.type === 'swift',
    accessKey: open('access_key'),
    secretKey: open('secret_key'),
  };
}

/** Opens the secrets of a storage for recordings, which its second bucket gets as well. */
export function bucketsOf(row: StorageRow, vault: Vault): Bucket | undefined {
  const bucket = bucketOf(row, vault);
  const second = row.second && bucketOf(row.second, vault);
  return bucket && (second ? { ...bucket, second } : bucket);
}

/** The replay storage of a server. */
export async function storageOfTerminal(db: Db, holder: string): Promise<StorageRow | undefined> {
  const { rows } = await sql<StorageRow>`select ${COLUMNS} from terminal t
      join replay_storage r on r.name = t.replay_storage where t.holder = ${holder}`.execute(db);
  return rows[0];
}

export async function storageById(db: Db | Tx, id: string): Promise<StorageRow | undefined> {
  return (
    await sql<StorageRow>`select ${COLUMNS} from replay_storage r where r.id = ${id}`.execute(db)
  ).rows[0];
}

/** Connects recordings to storages. The session row names the storage of its recording. */
export function connectStorages(
  recordings: Pick<Recordings, 'connect'>,
  db: Db,
  vault: Vault,
): void {
  recordings.connect({
    async of(sessionId) {
      const { rows } = await sql<StorageRow>`select ${COLUMNS} from session s
          join replay_storage r on r.id = s.replay_storage where s.id = ${sessionId}`.execute(db);
      return rows[0] && bucketsOf(rows[0], vault);
    },
    async all() {
      const { rows } = await sql<StorageRow>`select ${COLUMNS} from replay_storage r
          where r.type not in ('server', 'null') order by r.name`.execute(db);
      return rows.flatMap((row) => bucketOf(row, vault) ?? []);
    },
  });
}

/** Every bucket among the storages, with its name. `bucket` opens the secrets. */
export async function bucketsToTry(
  db: Db,
  vault: Vault,
): Promise<readonly { readonly name: string; bucket(): Bucket }[]> {
  const { rows } = await sql<StorageRow>`select ${COLUMNS} from replay_storage r
      where r.type not in ('server', 'null') order by r.name`.execute(db);
  return rows.map((row) => ({
    name: row.name,
    bucket() {
      const bucket = bucketOf(row, vault);
      if (!bucket) throw new Error(`the type ${row.type} is unknown`);
      return bucket;
    },
  }));
}

/**
 * Opens the newest recording and the newest backup of a storage. Returns the reason if one does not
 * open.
 */
export async function missedNewest(
  recordings: Pick<Recordings, 'isIn'>,
  vault: Vault,
  { storage, tx }: { readonly storage: string; readonly tx: Tx },
): Promise<TextParams[string] | undefined> {
  const row = await storageById(tx, storage);
  const bucket = row && bucketOf(row, vault);
  if (!bucket) return undefined;
  const sessions = await sql<{ id: string; startedAt: Date }>`
    select id, date_start as "startedAt" from session
      where replay_storage = ${storage} order by date_start desc limit 1`.execute(tx);
  const backups = await sql<{ key: string }>`
    select stored_key as key from backup
      where storage = ${storage} and stored_key is not null and date_stored is not null
      order by date_stored desc limit 1`.execute(tx);
  try {
    for (const one of [...sessions.rows, ...backups.rows.map(({ key }) => key)])
      if (!(await recordings.isIn(bucket, one))) return MISSING;
  } catch (error) {
    if (error instanceof StorageError) return error.message;
    throw error;
  }
  return undefined;
}

/** Tests a storage. Returns the reason of a failure. */
export async function testFailure(
  recordings: Pick<Recordings, 'tryOut'>,
  vault: Vault,
  { storage, tx }: { readonly storage: string; readonly tx: Tx },
): Promise<TextParams[string] | undefined> {
  const row = await storageById(tx, storage);
  try {
    const bucket = row && bucketOf(row, vault);
    if (bucket) await recordings.tryOut(bucket);
    return undefined;
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    return certificateSentence(error, PEER.storage) ?? error.message;
  }
}

const MISSING = { en: 'it is not there', zh: '文件不存在' } as const;
