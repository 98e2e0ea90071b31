import { sql } from 'kysely';
import { issueLicense } from '../features/license/issue.ts';
import type { Db } from '../platform/db/database.ts';

/** The license of the sample installation, so that its licensed features can be tried. It is signed with the key of its own data folder and holds nowhere else. */
export async function fillLicense(db: Db, dataDirectory: string): Promise<void> {
  const facts = ['corporation=Sallyport Demo', 'expired=2099-12-31', 'asset_count=0'];
  const { license } = await issueLicense(db, { dataDirectory, licensePublicKey: undefined }, facts);
  await sql`insert into license (content) values (${JSON.stringify(license)}::jsonb) on conflict (only_row) do nothing`.execute(db);
  await sql`select pg_notify('settings', '')`.execute(db);
}
