import { defineModule } from '../../module.ts';
import { schedulesStopped } from '../../platform/jobs/future-times.ts';
import { previousEnd } from '../../platform/process.ts';
import { diskReserveBytes } from '../../platform/settings/service.ts';
import { servers } from '../servers/index.ts';
import { settings } from '../settings/index.ts';
import { mountHealth } from './routes.ts';

const SCHEDULES_MILLISECONDS = 20_000;

/** The health of this server, for monitors and load balancers. */
export const health = defineModule({
  name: 'health',
  tables: [],
  create({ core: { pool, db, config, recordings, stopping }, use }) {
    const inForce = use(settings);
    /** Below the reserve no session starts, so another server must take the next one. */
    const canRecord = async () =>
      (await recordings.isWritable()) &&
      (await recordings.freeBytes()) >= diskReserveBytes(inForce);
    const { isAlone, holdsIdentity } = use(servers);
    const checks = new Map<string, () => boolean>(isAlone ? [] : [['identity', holdsIdentity]]);
    let schedulesRun: boolean | undefined;
    const notes = new Map<string, () => boolean | undefined>([['schedules', () => schedulesRun]]);
    const lookAtSchedules = async () => {
      schedulesRun = (await schedulesStopped(db)) === undefined;
    };
    return {
      service: {
        /** Adds a component that this server requires. */
        addCheck: (name: string, isUp: () => boolean) => void checks.set(name, isUp),
        /** Adds a component that is reported but not required. Undefined means unused. */
        addNote: (name: string, isUp: () => boolean | undefined) => void notes.set(name, isUp),
      },
      timers: [{ everyMilliseconds: SCHEDULES_MILLISECONDS, run: lookAtSchedules }],
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
