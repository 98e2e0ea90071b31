import { join } from 'node:path';
import { defineModule } from '../../module.ts';
import { CLOCKS_APART_MILLISECONDS, databaseClock } from '../../platform/clock.ts';
import { lacksDescriptors } from '../../platform/descriptors.ts';
import { createHook } from '../../platform/hook.ts';
import { schedulesStopped } from '../../platform/jobs/future-times.ts';
import { journalFolder } from '../../platform/journal/folder.ts';
import { previousEnd } from '../../platform/process/supervisor.ts';
import { diskReserveBytes } from '../../platform/settings/service.ts';
import { createWriteProbe } from '../../platform/storage/recordings.ts';
import { within } from '../../platform/within.ts';
import { servers } from '../servers/index.ts';
import { settings } from '../settings/index.ts';
import { createHealthAttention } from './attention.ts';
import { createDatabaseProbe } from './database-probe.ts';
import {
  createReplicationReader,
  isUnseen,
  lateStandbys,
  type Replication,
} from './replication.ts';
import { mountHealth } from './routes.ts';

export { createDatabaseProbe } from './database-probe.ts';
export {
  asynchronousStandbys,
  createReplicationReader,
  isUnseen,
  LAG_SECONDS,
  type Standby,
} from './replication.ts';

/** Monitors wait two seconds for an answer, the probe included. */
const DISK_MILLISECONDS = 300;
const SCHEDULES_MILLISECONDS = 20_000;
const REPLICATION_MILLISECONDS = 5_000;

/** Undefined while the clock of the database is not known. */
const isNear = (ahead: number | undefined) =>
  ahead === undefined ? undefined : Math.abs(ahead) <= CLOCKS_APART_MILLISECONDS;

/** A live session of this server, with its watchers. */
export interface LiveSession {
  readonly protocol: string;
  readonly kind: string;
  readonly watchers: number;
}

/** The health of this server, for monitors and load balancers. */
export const health = defineModule({
  name: 'health',
  tables: [],
  create({ core: { pool, db, isReplicaUsed, config, recordings, stopping }, use }) {
    const inForce = use(settings);
    const { isAlone, holdsIdentity, processes } = use(servers);
    const patienceSeconds = () => inForce.get('TERMINAL_RECORDING_DISK_TIMEOUT');
    // Uploads wait in the data folder, sessions write into the others.
    const probe = createWriteProbe(
      [
        config.dataDirectory,
        join(config.dataDirectory, 'recordings'),
        journalFolder(config.dataDirectory, processes.number),
      ],
      { patienceSeconds },
    );
    const databaseProblem = createDatabaseProbe(db, patienceSeconds);
    /** Below the reserve no session starts, so another server must take the next one. */
    const recordingProblem = async () => {
      if (recordings.isHanging()) return 'hanging';
      const problem = await probe();
      if (problem) return problem;
      // A slow disk works. `isHanging` tells when it is later than the limit.
      const free = await within(recordings.freeBytes(), DISK_MILLISECONDS, () => undefined);
      return free !== undefined && free < diskReserveBytes(inForce) ? 'reserve' : undefined;
    };
    const checks = new Map<string, () => boolean>([
      ['open_files', () => !lacksDescriptors()],
      ...(isAlone ? [] : [['identity', holdsIdentity] as const]),
    ]);
    const live = createHook('the source of live sessions', (): readonly LiveSession[] => []);
    let schedulesRun: boolean | undefined;
    const readReplication = createReplicationReader(db);
    let replication: Replication | undefined;
    const lookAtReplication = async () => {
      if (config.databaseUrl === undefined) return;
      // An outage is another finding. Its standbys are not known meanwhile.
      replication = undefined;
      replication = await readReplication();
    };
    const hasStandby = () => (replication?.standbys.length ?? 0) > 0;
    const notes = new Map<string, () => boolean | undefined>([
      ['schedules', () => schedulesRun],
      ['clock', () => isNear(databaseClock.ahead)],
      ['standby_reads', isReplicaUsed],
      ['synchronous_replication', () => (hasStandby() ? replication?.isSynchronous : undefined)],
      [
        'replication_lag',
        () =>
          hasStandby() && replication && !replication.standbys.every(isUnseen)
            ? lateStandbys(replication).length === 0
            : undefined,
      ],
    ]);
    const lookAtSchedules = async () => {
      schedulesRun = (await schedulesStopped(db)) === undefined;
    };
    return {
      service: {
        /** Returns the problem of a disk that sessions need. Undefined while they can start. */
        diskProblem: probe,
        /** Returns the problem of a database that takes no changes. Undefined while it does. */
        databaseProblem,
        /** Returns the standbys of the database, as this process has read them last. */
        replication: () => replication,
        /** Lists the live sessions of this server. */
        liveSessions: live.call,
        setLiveSessions: live.set,
        /** Adds a component that this server requires. */
        addCheck: (name: string, isUp: () => boolean) => void checks.set(name, isUp),
        /** Adds a component that is reported but not required. Undefined means unused. */
        addNote: (name: string, isUp: () => boolean | undefined) => void notes.set(name, isUp),
      },
      attention: createHealthAttention({
        diskProblem: probe,
        databaseProblem,
        freeBytes: () => recordings.freeBytes(),
        reserveBytes: () => diskReserveBytes(inForce),
        replication: () => replication,
      }),
      timers: [
        { everyMilliseconds: SCHEDULES_MILLISECONDS, run: lookAtSchedules },
        { everyMilliseconds: REPLICATION_MILLISECONDS, run: lookAtReplication },
      ],
      routes: ({ http }) =>
        mountHealth(http, {
          pool,
          demo: config.demo,
          recordingProblem,
          databaseProblem,
          isStopping: () => stopping.aborted,
          previousEnd,
          processes,
          checks,
          notes,
        }),
    };
  },
});
