import { defineModule } from '../../module.ts';
import { previousEnd } from '../../platform/supervision.ts';
import { mountHealth } from './routes.ts';

/** Whether this server can do its work, for monitors and load balancers. */
export const health = defineModule({
  name: 'health',
  tables: [],
  create({ core: { pool, config, recordings, stopping } }) {
    const checks = new Map<string, () => boolean>();
    return {
      service: {
        /** Adds a part of the program without which this server cannot do its work. */
        addCheck: (name: string, isUp: () => boolean) => void checks.set(name, isUp),
      },
      routes: ({ http }) =>
        mountHealth(http, { pool, demo: config.demo, canRecord: recordings.isWritable, isStopping: () => stopping.aborted, previousEnd, checks }),
    };
  },
});
