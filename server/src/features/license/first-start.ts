import type { Db } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import { type Issuer, issueOwn, issueRefusal } from './issue.ts';
import type { LicenseService } from './service.ts';

/**
 * Issues the installation's own license at its first start, on one server, to enable every feature.
 * Later starts do not restore a removed license.
 */
export async function issueAtFirstStart(
  db: Db,
  issuer: Issuer,
  license: LicenseService,
): Promise<void> {
  await db.transaction(async (tx) => {
    const begun =
      await sql`insert into license_start (only_row) values (true) on conflict do nothing
        returning only_row`.execute(tx);
    const there = await sql`select from license`.execute(tx);
    // With the key of another issuer configured, licenses come from there.
    if (begun.rows.length === 0 || there.rows.length > 0 || (await issueRefusal(tx, issuer)))
      return;
    await license.store(await issueOwn(tx, issuer), tx);
  });
}
