import { defineModule } from '../../module.ts';
import { previousEnd } from '../../platform/process.ts';
import { diskReserveBytes } from '../../platform/settings/service.ts';
import { servers } from '../servers/index.ts';
import { settings } from '../settings/index.ts';
import { mountHealth } from './routes.ts';

/** The health of this server, for monitors and load balancers. */
export const health = defineModule({
  name: 'health',
  tables: [],
  create({ core: { pool, config, recordings, stopping }, use }) {
    const inForce = use(settings);
    /** Below the reserve no session starts, so another server must take the next one. */
    const canRecord = async () =>
      (await recordings.isWritable()) &&
      (await recordings.freeBytes()) >= diskReserveBytes(inForce);
    const { isAlone, holdsIdentity } = use(servers);
    const checks = new Map<string, () => boolean>(isAlone ? [] : [['identity', holdsIdentity]]);
    const notes = new Map<string, () => boolean | undefined>();
    return {
      service: {
        /** Adds a component that this server requires. */
        addCheck: (name: string, isUp: () => boolean) => void checks.set(name, isUp),
        /** Adds a component that is reported but not required. Undefined means unused. */
        addNote: (name: string, isUp: () => boolean | undefined) => void notes.set(name, isUp),
      },
      routes: ({ http }) =>
        mountHealth(http, {
          pool,
          demo: config.demo,
          canRecord,
          isStopping: () => stopping.aborted,
          previousEnd,
          processes: use(servers).processes,
          checks,
          notes,
        }),
    };
  },
});
