import { defineModule } from '../../module.ts';
import { createSettings, serverZone } from '../../platform/settings/service.ts';
import { audits } from '../audits/index.ts';
import { mountSettings } from './routes.ts';
import { CORE_RULES } from './rules.ts';

export {
  changeSettingsIn,
  keptAtLeast,
  PRESET,
  type SettingsServices,
  storeSettings,
} from './change.ts';

/** The settings that administrators change while the server runs. */
export const settings = defineModule({
  name: 'settings',
  tables: [],
  async create({ core: { config, db, vault, bus, log, jobs, recordings, stopping }, use }) {
    const service = createSettings(db, vault, config.without);
    for (const [category, rule] of CORE_RULES) service.addRule(category, rule);
    const reload = () =>
      void service
        .reload()
        .catch((error: unknown) =>
          log.error({ error: String(error) }, 'the settings could not be read again'),
        );
    // Subscribes first, so that a change during the initial read is not missed.
    await bus.subscribe('settings', reload, reload);
    await service.reload();
    jobs.useLocale({
      language: () => service.get('SERVER_LANGUAGE'),
      zone: () => serverZone(service),
    });
    recordings.sealWhile(() => service.get('SECURITY_ENCRYPT_RECORDINGS'));
    recordings.waitWhile(() => service.get('TERMINAL_RECORDING_DISK_TIMEOUT'));
    return {
      service,
      start: () => {
        // Settings contain the time zone of schedules, and some schedules.
        service.onReload(
          () =>
            void jobs.reschedule().catch((error: unknown) => {
              if (!stopping.aborted)
                log.error({ error: String(error) }, 'the schedules could not be applied');
            }),
        );
      },
      routes: ({ http }) =>
        mountSettings(http, {
          db,
          settings: service,
          audit: use(audits).write,
          keepAtLeast: config.keepAtLeast,
          without: config.without,
        }),
    };
  },
});
