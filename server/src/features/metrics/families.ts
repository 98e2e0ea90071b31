import { readdirSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { PROTOCOLS } from '@sallyport/contract';
import type pg from 'pg';
import type { Db } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import { mergeFamilies, risingFamilies } from '../../platform/metrics/merge-families.ts';
import {
  declaredCounters,
  declaredHistograms,
  type Family,
  familyOfCounter,
  familyOfHistogram,
  gauge,
  type Sample,
  total,
} from '../../platform/metrics/open-metrics.ts';
import { carriedCounts, reportCounts } from '../../platform/process/counts.ts';
import { RELEASE } from '../../platform/release.ts';
import type { Recordings } from '../../platform/storage/recordings.ts';
import type { Verifier } from '../audits/index.ts';
import { backupFamilies } from '../backups/index.ts';
import type { LiveSession } from '../health/index.ts';
import type { Processes } from '../servers/index.ts';
import { type Witnesses, witnessFamilies } from '../witness/index.ts';
import { processFamilies } from './process-families.ts';

export interface FamiliesOptions {
  readonly pool: pg.Pool;
  readonly db: Db;
  readonly recordings: Pick<Recordings, 'freeBytes'>;
  /** Free space below which no session starts. */
  readonly reserveBytes: () => number;
  /** Returns the problem of a database that takes no changes. */
  readonly databaseProblem: () => Promise<string | undefined>;
  readonly live: () => readonly LiveSession[];
  readonly verifier: Pick<Verifier, 'last'>;
  readonly witnesses: Pick<Witnesses, 'state'>;
  /** The processes of this server; the metrics are those of all. */
  readonly processes: Pick<Processes, 'number' | 'count' | 'isShared' | 'answer' | 'askAll'>;
  readonly storages: {
    isStorageWell(): boolean;
    isCommandStorageWell(): boolean;
    waitingRecordings(): Promise<number>;
  };
}

const NANOSECONDS = 1e9;
/** Sampling interval of the event loop in milliseconds. */
const RESOLUTION = 20;
/** Counting stops at this number. */
const MOST_COUNTED = 100_000;
const seconds = (date: Date | null | undefined) => (date ? date.getTime() / 1_000 : 0);

/**
 * Starts to monitor the event loop. Returns a function that reads every family of this server, all
 * of its processes summed, and of the database.
 */
export function createFamilies(options: FamiliesOptions): () => Promise<readonly Family[]> {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION });
  delay.enable();
  const { processes } = options;
  const ofThisProcess = async () => [
    ...ofProcess(delay),
    ...(await ofServer(options)),
    ...declaredCounters().map(familyOfCounter),
    ...declaredHistograms().map(familyOfHistogram),
  ];
  processes.answer('metrics', ofThisProcess);
  const ofAllProcesses = async (): Promise<readonly Family[]> => {
    const [own, others] = await Promise.all([ofThisProcess(), processes.askAll('metrics', true)]);
    const parts = new Map([[processes.number, own], ...(others as Map<number, Family[]>)]);
    const known = [...parts].filter(([, part]) => part !== undefined);
    reportCounts(Object.fromEntries(known.map(([one, part]) => [one, risingFamilies(part)])));
    return mergeFamilies([...known.map(([, part]) => part), carriedCounts()]);
  };
  return async () => {
    const own = await (processes.isShared ? ofAllProcesses() : ofThisProcess());
    try {
      const shared = await ofDatabase(options);
      return [
        ...own,
        gauge('sallyport_database_up', 'Whether the database answers.', 1),
        gauge(
          'sallyport_database_writable',
          'Whether the database takes changes: it has room and is not read-only.',
          Number((await options.databaseProblem()) === undefined),
        ),
        ...shared,
      ];
    } catch {
      // The families of the process matter most while the database is unreachable.
      return [...own, gauge('sallyport_database_up', 'Whether the database answers.', 0)];
    }
  };
}

/** Families of this process. Starts a new interval of the event loop. */
function ofProcess(delay: ReturnType<typeof monitorEventLoopDelay>): Family[] {
  const { rss, heapUsed, external } = process.memoryUsage();
  const { user, system } = process.cpuUsage();
  const quantile = (label: string, value: number): Sample => ({
    labels: { quantile: label },
    value: Math.max(0, value / NANOSECONDS - RESOLUTION / 1_000),
  });
  const loop =
    delay.count === 0
      ? []
      : [
          quantile('0.5', delay.percentile(50)),
          quantile('0.99', delay.percentile(99)),
          quantile('1', delay.max),
        ];
  delay.reset();
  return [
    {
      name: 'sallyport_build',
      type: 'info',
      help: 'Version and commit of the program, and version of Node.',
      samples: [
        {
          suffix: '_info',
          labels: {
            version: RELEASE.version,
            commit: RELEASE.commit ?? '',
            node: process.version,
          },
          value: 1,
        },
      ],
    },
    gauge(
      'process_start_time_seconds',
      'When the process began, in seconds since 1970.',
      Math.round(Date.now() / 1_000 - process.uptime()),
    ),
    total('process_cpu_seconds_total', 'Processor time of the process.', [
      { value: (user + system) / 1e6 },
    ]),
    gauge(
      'process_resident_memory_bytes',
      'Memory of the process, without the embedded database.',
      rss,
    ),
    gauge('nodejs_heap_used_bytes', 'What of it JavaScript objects take.', heapUsed),
    gauge('nodejs_external_memory_bytes', 'What of it buffers and native parts take.', external),
    gauge('process_open_fds', 'Open files and sockets.', openDescriptors()),
    {
      name: 'sallyport_event_loop_delay_seconds',
      type: 'summary',
      help: 'How late the event loop was since the reading before.',
      samples: loop,
    },
  ];
}

/** Families of this server. */
async function ofServer({
  pool,
  recordings,
  live,
  storages,
  reserveBytes,
  processes: { count: processes },
}: FamiliesOptions): Promise<Family[]> {
  const sessions = live();
  const count = (protocol: string) =>
    sessions.filter((session) => session.protocol === protocol).length;
  return [
    gauge(
      'sallyport_sessions',
      'Live sessions on this server.',
      PROTOCOLS.map(({ name }) => ({ labels: { protocol: name }, value: count(name) })),
    ),
    ...processFamilies(processes, sessions.length),
    gauge(
      'sallyport_session_watchers',
      'Auditors and guests who watch live sessions on this server.',
      sessions.reduce((sum, { watchers }) => sum + watchers, 0),
    ),
    gauge('sallyport_database_connections', 'Connections of this server to its database.', [
      { labels: { state: 'used' }, value: pool.totalCount - pool.idleCount },
      { labels: { state: 'idle' }, value: pool.idleCount },
    ]),
    gauge(
      'sallyport_database_waiting',
      'What waits on this server for a connection to the database.',
      pool.waitingCount,
    ),
    gauge(
      'sallyport_recordings_free_bytes',
      'What may still be written to the disk of the recordings.',
      await recordings.freeBytes().catch(() => Number.NaN),
    ),
    gauge(
      'sallyport_recordings_reserve_bytes',
      'The setting Disk reserve: with less free space sessions end and none begins.',
      reserveBytes(),
    ),
    gauge('sallyport_storage_up', 'Whether the storage took everything at the last run.', [
      { labels: { storage: 'recordings' }, value: Number(storages.isStorageWell()) },
      { labels: { storage: 'commands' }, value: Number(storages.isCommandStorageWell()) },
    ]),
  ];
}

interface Queue {
  readonly name: string;
  readonly waiting: number;
  readonly running: number;
  readonly age: number;
}

/** Families that all servers of a database share. */
async function ofDatabase({
  db,
  verifier,
  witnesses,
  storages,
}: FamiliesOptions): Promise<Family[]> {
  const { rows: queues } = await sql<Queue>`
    select name, count(*) filter (where state <> 'active' and start_after <= now())::int as waiting,
      count(*) filter (where state = 'active')::int as running,
      coalesce(extract(epoch from max(now() - start_after) filter (where state <> 'active'
        and start_after <= now())), 0)::float8 as age
    from jobs.job where state in ('created', 'retry', 'active') and name not like '\\_\\_%'
      group by name order by name`.execute(db);
  const { rows: chains } = await sql<{
    log: string;
    sequence: number;
  }>`select log, sequence from audit_chain order by log`.execute(db);
  const { rows: commands } = await sql<{ count: number }>`
    select count(*)::int as count from (select from command where queued_for is not null
      limit ${MOST_COUNTED}) waiting`.execute(db);
  const verified = await verifier.last();
  const each = (value: (queue: Queue) => number): Sample[] =>
    queues.map((queue) => ({ labels: { job: queue.name }, value: value(queue) }));
  return [
    gauge(
      'sallyport_jobs_waiting',
      'Jobs that could run and wait, of all servers.',
      each(({ waiting }) => waiting),
    ),
    gauge(
      'sallyport_jobs_running',
      'Jobs that run, on all servers.',
      each(({ running }) => running),
    ),
    gauge(
      'sallyport_jobs_oldest_seconds',
      'How long the job has waited that waits longest.',
      each(({ age }) => Math.max(0, age)),
    ),
    total(
      'sallyport_audit_entries_total',
      'Entries that were ever written to a chained log.',
      chains.map(({ log, sequence }) => ({ labels: { log }, value: sequence })),
    ),
    gauge(
      'sallyport_audit_intact',
      'Whether the last verification found logs, sessions and recordings as they were; NaN before the first one.',
      verified ? Number(verified.intact) : Number.NaN,
    ),
    gauge(
      'sallyport_audit_verified_timestamp_seconds',
      'When that was; 0: never.',
      seconds(verified?.date),
    ),
    ...witnessFamilies(await witnesses.state()),
    ...(await backupFamilies(db)),
    gauge(
      'sallyport_recordings_waiting',
      'Finished recordings on this server that wait for their bucket.',
      await storages.waitingRecordings().catch(() => Number.NaN),
    ),
    gauge(
      'sallyport_commands_waiting',
      'Commands in the database that wait for their storage.',
      commands[0]?.count ?? 0,
    ),
  ];
}

/** Open descriptors of this process. NaN if the system does not list them. */
function openDescriptors(): number {
  try {
    return readdirSync('/proc/self/fd').length;
  } catch {
    return Number.NaN;
  }
}
