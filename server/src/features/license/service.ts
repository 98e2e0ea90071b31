import type { Db, Tx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import { AppError } from '../../platform/errors.ts';
import { newestReading } from '../../platform/gate.ts';
import {
  isExpired,
  type LicenseDocument,
  readLicense,
  readPublicKey,
  refusedLicense,
} from './document.ts';

export interface LicenseService {
  /** Returns true if licensed features are currently available. */
  isLicensed(): boolean;
  /**
   * The last imported license. Undefined without one, or if its signature does not match the key.
   */
  current(): LicenseDocument | undefined;
  /**
   * Maximum number of assets in all organizations together, also after the license expired.
   * Undefined if unlimited.
   */
  assetLimit(): number | undefined;
  /** Verifies a license file. @throws AppError */
  check(text: string): LicenseDocument;
  /** Replaces the license. Servers apply it at `reload`, which the database announces at commit. */
  store(license: LicenseDocument, tx: Tx): Promise<void>;
  /**
   * Removes the license, which disables licensed features. Applied like `store`.
   * @throws AppError without a license
   */
  remove(tx: Tx): Promise<void>;
  reload(): Promise<void>;
}

/**
 * Creates the license service. Call `reload` before the first use. `configuredKey` takes precedence
 * over the key in the database.
 */
export function createLicense(db: Db, configuredKey: string | undefined): LicenseService {
  let key: string | undefined = configuredKey;
  let license: LicenseDocument | undefined;
  const check = (text: string): LicenseDocument => {
    const publicKey = key === undefined ? undefined : readPublicKey(key);
    if (!publicKey) throw refusedLicense('license_no_key');
    return readLicense(text, publicKey);
  };
  return {
    isLicensed: () => license !== undefined && !isExpired(license),
    current: () => license,
    assetLimit: () => license?.asset_count || undefined,
    check(text) {
      const document = check(text);
      if (isExpired(document)) throw refusedLicense('license_expired', { date: document.expired });
      return document;
    },
    async store(document, tx) {
      await sql`
        insert into license (content) values (${JSON.stringify(document)}::jsonb)
        on conflict (only_row) do update set content = excluded.content,
          date_imported = now()`.execute(tx);
      await sql`select pg_notify('settings', '')`.execute(tx);
    },
    async remove(tx) {
      const { rowCount } = await sql`delete from license`.execute(tx);
      if (rowCount === 0) throw refusedLicense('license_missing');
      await sql`select pg_notify('settings', '')`.execute(tx);
    },
    reload: newestReading(
      () =>
        sql<{ public_key: string | null; content: unknown }>`
        select (select public_key from license_key) as public_key, (select content from license)
          as content`.execute(db),
      ({ rows }) => {
        key = configuredKey ?? rows[0]?.public_key ?? undefined;
        // A row that was written without a valid signature is ignored.
        license =
          rows[0]?.content && key
            ? checkedOrNothing(() => check(JSON.stringify(rows[0]?.content)))
            : undefined;
      },
    ),
  };
}

function checkedOrNothing<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof AppError) return undefined;
    throw error;
  }
}

/** Counts the assets of all organizations. */
export async function countAssets(db: Db): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*) as count from asset`.execute(db);
  return rows[0]?.count ?? 0;
}
