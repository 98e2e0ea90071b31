import { defineModule } from '../../module.ts';
import { audits } from '../audits/index.ts';
import { issueAtFirstStart } from './first-start.ts';
import { mountLicense } from './routes.ts';
import { createLicense } from './service.ts';

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
