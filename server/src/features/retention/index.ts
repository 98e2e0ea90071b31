import { defineModule } from '../../module.ts';
import { defineJob } from '../../platform/jobs/definition.ts';
import { audits } from '../audits/index.ts';
import { settings } from '../settings/index.ts';
import { removeOld, removeRecordings } from './service.ts';

/** Deletes logs, sessions and recordings at the end of their retention period. */
export const retention = defineModule({
  name: 'retention',
  tables: [],
  create({ core: { db, bus, config, expiries, jobs, log, recordings }, use }) {
    const options = {
      db,
      jobs,
      chains: use(audits).chains,
      settings: use(settings),
      recordings,
      expiries,
      log,
      keepAtLeast: config.keepAtLeast,
    };
    // Each server deletes its own recordings, which are on its disk.
    bus.subscribe(
      'retention',
      () =>
        void removeRecordings(options).catch((error: unknown) =>
          log.error({ error: String(error) }, 'recordings could not be removed'),
        ),
    );
    const job = defineJob<void, unknown>({
      name: 'retention',
      title: { en: 'Remove expired data', zh: '清理过期数据' },
      input: () => undefined,
      schedule: () => ({ dailyAt: '03:30' }),
      overlap: 'dropped',
      retries: { limit: 3, delaySeconds: 600 },
      repeatable: true,
      timeoutSeconds: 6 * 3600,
      access: 'server',
      history: 'all',
      async run({ log: say }) {
        const removed = await removeOld(options);
        await bus.publish('retention', '');
        log.info({ removed }, 'old data was removed');
        say(
          `sessions ${removed.sessions}, recordings ${removed.recordings} (not deleted by their storage: ${removed.keptRecordings}), jobs ${removed.jobs}, ${JSON.stringify(removed.expired)}, log entries ${JSON.stringify(removed.logs)}`,
        );
        return removed;
      },
    });
    return { service: {}, jobs: [job] };
  },
});
