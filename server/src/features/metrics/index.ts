import { defineModule } from '../../module.ts';
import { audits } from '../audits/index.ts';
import { diskReserveBytes } from '../settings/disk-reserve.ts';
import { settings } from '../settings/index.ts';
import { terminals } from '../terminals/index.ts';
import type { Live } from './families.ts';
import type { MetricsListener } from './listener.ts';

/**
 * Numbers for Prometheus, on a listener of their own that is off until the operator names its port
 * and its token.
 */
export const metrics = defineModule({
  name: 'metrics',
  tables: [],
  create({ core: { config, pool, db, recordings, log }, use }) {
    let listener: MetricsListener | undefined;
    const live: Live[] = [];
    return {
      service: {
        /** Adds the live sessions of a part of the program. */
        addLive: (sessions: Live) => void live.push(sessions),
        /** Where the listener listens; 0 when it is switched off. */
        port: () => listener?.port ?? 0,
      },
      async start() {
        if (config.metricsPort === 0) return;
        // Read at the first use: most servers are not asked.
        const [{ startMetricsListener, readToken }, { createFamilies }] = await Promise.all([
          import('./listener.ts'),
          import('./families.ts'),
        ]);
        const families = createFamilies({
          pool,
          db,
          recordings,
          reserveBytes: () => diskReserveBytes(use(settings)),
          live,
          verifier: use(audits).verifier,
          storages: use(terminals),
        });
        listener = await startMetricsListener({
          host: config.metricsHost,
          port: config.metricsPort,
          token: readToken(config),
          families,
          log,
        });
      },
      stop: () => listener?.stop(),
    };
  },
});
