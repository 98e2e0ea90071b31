import { defineModule } from '../../module.ts';
import { diskReserveBytes } from '../../platform/settings/service.ts';
import { audits } from '../audits/index.ts';
import { health } from '../health/index.ts';
import { settings } from '../settings/index.ts';
import { witness } from '../witness/index.ts';
import { mountAttention } from './routes.ts';

/** Items that need attention, at the top of the start page. */
export const attention = defineModule({
  name: 'attention',
  tables: [],
  create({ core: { db, recordings }, use }) {
    const inForce = use(settings);
    const { verifier } = use(audits);
    return {
      service: {},
      routes: ({ http, engines }) =>
        mountAttention(http, {
          db,
          engines,
          settings: inForce,
          verifier,
          witnesses: use(witness),
          freeBytes: () => recordings.freeBytes(),
          diskProblem: use(health).diskProblem,
          databaseProblem: use(health).databaseProblem,
          replication: use(health).replication,
          reserveBytes: () => diskReserveBytes(inForce),
        }),
    };
  },
});
