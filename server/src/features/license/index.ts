import { defineModule } from '../../module.ts';
import type { Db } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import { audits } from '../audits/index.ts';
import { type Issuer, issueOwn, issueRefusal } from './issue.ts';
import { mountLicense } from './routes.ts';
import { createLicense, type LicenseService } from './service.ts';

export { issueLicense } from './issue.ts';
export { createLicense, type LicenseService } from './service.ts';

/** The license of the installation. */
export const license = defineModule({
  name: 'license',
  tables: ['license', 'license_key', 'license_start'],
  async create({ core: { db, bus, config, log }, use }) {
    const service = createLicense(db, config.licensePublicKey);
    const reload = () =>
      void service
        .reload()
        .catch((error: unknown) =>
          log.error({ error: String(error) }, 'the license could not be read again'),
        );
    // Subscribes first, so that a change during the initial read is not missed.
    await bus.subscribe('settings', reload, reload);
    await issueAtFirstStart(db, config, service);
    await service.reload();
    return {
      service,
      routes: ({ http }) =>
        mountLicense(http, { db, issuer: config, license: service, audit: use(audits).write }),
    };
  },
});

/**
 * Issues the installation's own license at its first start, on one server, to enable every feature.
 * Later starts do not restore a removed license.
 */
async function issueAtFirstStart(db: Db, issuer: Issuer, license: LicenseService): Promise<void> {
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
