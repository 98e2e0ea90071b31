import { defineModule } from '../../module.ts';
import { diskReserveBytes } from '../../platform/settings/service.ts';
import { audits } from '../audits/index.ts';
import { health } from '../health/index.ts';
import { servers } from '../servers/index.ts';
import { settings } from '../settings/index.ts';
import { storages } from '../storages/index.ts';
import { witness } from '../witness/index.ts';
import type { MetricsListener } from './listener.ts';

/** Metrics for Prometheus, on a separate listener that requires a port and a token. */
export const metrics = defineModule({
  name: 'metrics',
  tables: [],
  create({ core: { config, pool, db, recordings, log }, use }) {
    let listener: MetricsListener | undefined;
    return {
      service: {
        /** The port of the listener, or 0 while it is off. */
        port: () => listener?.port ?? 0,
      },
      async start() {
        if (config.metricsPort === 0) return;
        // Loaded on demand: most servers have no metrics.
        const [{ startMetricsListener, readToken }, { createFamilies }] = await Promise.all([
          import('./listener.ts'),
          import('./families.ts'),
        ]);
        const families = createFamilies({
          pool,
          db,
          recordings,
          reserveBytes: () => diskReserveBytes(use(settings)),
          databaseProblem: use(health).databaseProblem,
          live: use(health).liveSessions,
          verifier: use(audits).verifier,
          witnesses: use(witness),
          processes: use(servers).processes,
          storages: use(storages),
        });
        listener = await startMetricsListener({
          host: config.metricsHost,
          port: config.metricsPort,
          token: readToken(config),
          families,
          log,
        });
      },
      handOver: () => listener?.handOver(),
      stop: () => listener?.stop(),
    };
  },
});
