import { sql } from 'kysely';
import type { Db, Tx } from '../../platform/db/database.ts';
import { AppError } from '../../platform/errors.ts';
import { newestReading } from '../../platform/newest-reading.ts';
import {
  isOver,
  type LicenseDocument,
  readLicense,
  readPublicKey,
  refusedLicense,
} from './document.ts';

export interface LicenseService {
  /** Whether what needs a license may be used now. */
  isLicensed(): boolean;
  /**
   * The license that was imported last; undefined without one, and when its signature does not fit
   * (any more).
   */
  current(): LicenseDocument | undefined;
  /**
   * How many assets may be there in all organizations together; also after its last day, until
   * another one comes. Undefined: as many as there are.
   */
  assetLimit(): number | undefined;
  /** Checks a license file. @throws AppError */
  check(text: string): LicenseDocument;
  /**
   * Puts a checked license in place of the present one. In force everywhere after `reload`, which
   * the database announces on commit.
   */
  store(license: LicenseDocument, tx: Tx): Promise<void>;
  /**
   * Removes the license; what needs one closes. In force like `store`. @throws AppError without one
   */
  remove(tx: Tx): Promise<void>;
  reload(): Promise<void>;
}

/**
 * Opens the license of an installation; call `reload` before the first use. `configuredKey` wins
 * over the key of the database.
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
    isLicensed: () => license !== undefined && !isOver(license),
    current: () => license,
    assetLimit: () => license?.asset_count || undefined,
    check(text) {
      const found = check(text);
      if (isOver(found)) throw refusedLicense('license_expired', { date: found.expired });
      return found;
    },
    async store(found, tx) {
      await sql`
        insert into license (content) values (${JSON.stringify(found)}::jsonb)
        on conflict (only_row) do update set content = excluded.content,
          date_imported = now()`.execute(tx);
      await sql`select pg_notify('settings', '')`.execute(tx);
    },
    async remove(tx) {
      const { numAffectedRows = 0n } = await sql`delete from license`.execute(tx);
      if (numAffectedRows === 0n) throw refusedLicense('license_missing');
      await sql`select pg_notify('settings', '')`.execute(tx);
    },
    reload: newestReading(
      () =>
        sql<{ public_key: string | null; content: unknown }>`
        select (select public_key from license_key) as public_key, (select content from license)
          as content`.execute(db),
      ({ rows }) => {
        key = configuredKey ?? rows[0]?.public_key ?? undefined;
        // A row that was written into the table by hand is no license.
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
