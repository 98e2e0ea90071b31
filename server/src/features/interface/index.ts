import { isFeatureName } from '@sallyport/contract';
import { defineModule } from '../../module.ts';
import { audits } from '../audits/index.ts';
import { license } from '../license/index.ts';
import { mail } from '../mail/index.ts';
import { settings } from '../settings/index.ts';
import { createPublicSettings, mountPublicSettings } from './public-settings.ts';
import { mountInterface } from './routes.ts';
import { createBranding } from './service.ts';

export type { PublicSettingsReader } from './public-settings.ts';

/** The branding of the pages, and the public settings. */
export const interfaces = defineModule({
  name: 'interface',
  tables: ['interface_setting', 'interface_picture'],
  async create({ core: { db, bus, config, log }, use }) {
    const branding = createBranding(db, () => use(license).isLicensed());
    const reload = () =>
      void branding
        .reload()
        .catch((error: unknown) =>
          log.error({ error: String(error) }, 'the interface could not be read again'),
        );
    // Subscribes first, so that a change during the initial read is not missed.
    await bus.subscribe('settings', reload, reload);
    await branding.reload();
    const publicSettings = createPublicSettings({
      settings: use(settings),
      license: use(license),
      branding,
      mailer: use(mail),
      without: config.without.filter(isFeatureName),
      demo: config.demo,
      publicUrl: config.publicUrl,
    });
    return {
      service: { publicSettings },
      async routes({ http }) {
        mountPublicSettings(http, publicSettings);
        await mountInterface(http, { db, branding, audit: use(audits).write });
      },
    };
  },
});
