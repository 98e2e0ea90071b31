import { randomUUID } from 'node:crypto';
import { allows, type Language } from '@sallyport/contract';
import { sqlState, type Tx } from '../db/database.ts';
import { type Sql, sql } from '../db/sql.ts';
import { Forbidden } from '../errors.ts';
import { applyRowSchedules, applySchedules } from './apply-schedules.ts';
import {
  ATTACHED_LEASE_SECONDS,
  type AttachedJob,
  attach,
  cancelAttached,
  endLostAttached,
} from './attach.ts';
import {
  type EnqueueOptions,
  type JobDefinition,
  type JobRequester,
  ROW_SCHEDULES_CHANNEL,
  SERVER_CALLER,
} from './definition.ts';
import { type Envelope, unwrap, wrap } from './envelope.ts';
import { mirrorQueue, QUEUE } from './mirror.ts';
import { createBoss, inTransaction, PACE } from './queue.ts';
import type { Reporter } from './run.ts';
import { storedRowSchedule } from './schedule.ts';
import type { JobRow, Jobs, JobsOptions } from './types.ts';
import { createWorkers } from './workers.ts';

export type { JobRow, Jobs } from './types.ts';

/** Denies by default: without declared permission bits only the server starts a job. */
function assertMayStart(
  { access }: Pick<JobDefinition, 'access'>,
  { permissions }: JobRequester,
): void {
  if (access === 'server' || !allows(permissions, access)) throw new Forbidden('job_access');
}

/** Creates the job runner; it is idle until `start`. */
export function createJobs({ pool, db, bus, vault, log, pace = PACE }: JobsOptions): Jobs {
  const definitions = new Map<string, JobDefinition>();
  const attachedKinds = new Map<string, AttachedJob>();
  const reporters = new Map<string, Reporter>();
  const watchers = new Map<string, Set<() => void>>();
  const boss = createBoss(pool, bus, log, pace);
  let sweeper: NodeJS.Timeout | undefined;
  let language = (): Language => SERVER_CALLER.language;
  const workers = createWorkers({
    boss,
    db,
    vault,
    log,
    pace,
    reporters,
    language: () => language(),
  });
  const queue = { boss, db, vault };
  let applying: Promise<void> = Promise.resolve();
  /** Applies schedules one after the other, so that the newest state is written last. */
  const inTurn = (apply: () => Promise<void>): Promise<void> => {
    const next = applying.then(apply);
    applying = next.catch(() => undefined);
    return next;
  };
  const applyRows = (kinds: readonly JobDefinition[]): Promise<void> =>
    inTurn(async () => {
      for (const kind of kinds) if (kind.rows) await applyRowSchedules(kind, queue);
    });
  const reschedule = async () => {
    await inTurn(() => applySchedules(definitions.values(), queue));
    await applyRows([...definitions.values()]);
  };
  let isStopping = false;
  const rowsChanged = (kinds: readonly JobDefinition[]) =>
    void (isStopping ? undefined : applyRows(kinds))?.catch((error: unknown) =>
      log.error({ error: String(error) }, 'the schedules of rows could not be applied'),
    );

  /** Queues jobs that migrations requested. */
  const takeRequests = async (): Promise<void> => {
    await db.transaction(async (tx) => {
      const { rows } = await sql<{
        id: string;
        name: string;
        input: unknown;
        envelope: Envelope | null;
        start_after: Date;
      }>`
        delete from job_request returning id, name, input, envelope, start_after`.execute(tx);
      for (const { id, name, input, envelope, start_after: startAfter } of rows) {
        const definition = definitions.get(name);
        if (definition)
          await (envelope
            ? enqueueAgain(definition, id, envelope, { tx, startAfter })
            : enqueue(definition, input, { tx, startAfter }));
      }
    });
  };
  /** Queues a job from a backup, with its id and envelope. */
  const enqueueAgain = async (
    definition: JobDefinition,
    id: string,
    envelope: Envelope,
    options: { readonly tx: Tx; readonly startAfter: Date },
  ) => {
    const key = keyOf(definition, unwrap(vault, definition, envelope));
    const { tx, startAfter } = options;
    await boss.send(definition.name, envelope, {
      id,
      startAfter,
      db: inTransaction(tx),
      ...(key !== undefined && { singletonKey: key }),
    });
  };

  async function enqueue<Input>(
    definition: JobDefinition<Input>,
    input: Input,
    { id: givenId, caller, subject = '', tx, startAfter }: EnqueueOptions = {},
  ): Promise<string | undefined> {
    if (caller) assertMayStart(definition, caller);
    const key = keyOf(definition, input);
    const id = await boss.send(
      definition.name,
      wrap(vault, definition, input, caller ?? SERVER_CALLER, subject),
      {
        ...(givenId !== undefined && { id: givenId }),
        ...(key !== undefined && { singletonKey: key }),
        ...(startAfter && { startAfter }),
        ...(tx && { db: inTransaction(tx) }),
      },
    );
    return id ?? undefined;
  }

  const onMessage = (payload: string) => {
    for (const changed of watchers.get(payload.split(' ')[0] ?? '') ?? []) changed();
    // Progress messages come from the run itself.
    if (!payload.includes(' ')) reporters.get(payload)?.check();
  };

  function watch(id: string, changed: () => void): () => void {
    const listeners = watchers.get(id) ?? new Set();
    watchers.set(id, listeners.add(changed));
    return () => {
      listeners.delete(changed);
      if (listeners.size === 0 && watchers.get(id) === listeners) watchers.delete(id);
    };
  }

  const find = async (where: Sql): Promise<JobRow | undefined> => {
    const { rows } = await sql<JobRow>`
      select j.id, j.name, j.state, j.done, j.total, j.problem, j.result,
        q.data -> 'input' as input, j.date_created, j.date_started, j.date_finished
      from job j left join ${QUEUE} q on q.name = j.name and q.id = j.id
      where ${where} order by j.date_created desc, j.id limit 1`.execute(db);
    return rows[0];
  };

  const sweep = () =>
    endLostAttached(db).catch((error: unknown) =>
      log.warn({ error: String(error) }, 'attached jobs could not be looked at'),
    );

  return {
    define(...more) {
      for (const definition of more) {
        if (definitions.has(definition.name))
          throw new Error(`two jobs are called ${definition.name}`);
        definitions.set(definition.name, definition);
      }
    },
    speak(spoken) {
      language = spoken;
    },
    definitionOf: (name) => definitions.get(name),
    describe(...kinds) {
      for (const kind of kinds) attachedKinds.set(kind.name, kind);
    },
    kindOf: (name) => definitions.get(name) ?? attachedKinds.get(name),
    watch,
    async finished(id) {
      for (;;) {
        const changed = new Promise<void>((settle) => {
          const stop = watch(id, () => {
            stop();
            settle();
          });
        });
        const row = await find(sql`j.id = ${id}`);
        if (!row || (row.state !== 'queued' && row.state !== 'running'))
          return row as JobRow<never> | undefined;
        await changed;
      }
    },
    async start() {
      await boss.start();
      await mirrorQueue(pool);
      await workers.openQueues([...definitions.values()]);
      await bus.subscribe('job', onMessage, () => {
        for (const listeners of watchers.values()) for (const changed of listeners) changed();
        for (const reporter of reporters.values()) reporter.check();
      });
      // Subscribe before reading the tables, so that no change in between is lost.
      await bus.subscribe(
        ROW_SCHEDULES_CHANNEL,
        (name) => rowsChanged([definitions.get(name)].flatMap((kind) => kind ?? [])),
        () => rowsChanged([...definitions.values()]),
      );
      await takeRequests();
      await reschedule();
      await Promise.all([...definitions.values()].map((kind) => workers.work(kind)));
      await sweep();
      sweeper = setInterval(() => void sweep(), ATTACHED_LEASE_SECONDS * 1_000).unref();
    },
    async stop() {
      clearInterval(sweeper);
      isStopping = true;
      await applying;
      await workers.stop();
    },
    enqueue,
    async attach(kind, id, caller, run) {
      assertMayStart(kind, caller);
      return attach(kind, id, caller, run, { db, bus, log, reporters });
    },
    async cancel(id) {
      const { rows } = await sql<{
        name: string;
        attached: boolean;
      }>`select name, attached from job where id = ${id} and state in ('queued', 'running')`.execute(
        db,
      );
      const [row] = rows;
      if (!row) return false;
      if (row.attached) return cancelAttached(id, { db, bus });
      await boss.cancel(row.name, id);
      return true;
    },
    async retry(id) {
      const { rows } = await sql<{ name: string; state: string }>`
        select j.name, j.state from job j join ${QUEUE} q on q.name = j.name and q.id = j.id
        where j.id = ${id} and j.state in ('failed', 'canceled')`.execute(db);
      const [row] = rows;
      const definition = definitions.get(row?.name ?? '');
      if (!row || !definition || definition.isRunOnce) return false;
      try {
        await (row.state === 'failed' ? boss.retry(row.name, id) : boss.resume(row.name, id));
      } catch (error) {
        // A job of the same key is queued or running.
        if (sqlState(error)?.code === '23505') return false;
        throw error;
      }
      workers.wake(row.name);
      return true;
    },
    async latest<Result>({ name }: { readonly name: string }) {
      return (await find(sql`j.name = ${name}`)) as JobRow<Result> | undefined;
    },
    reschedule,
    preview(schedule, count) {
      const { expression, zone } = storedRowSchedule(schedule, new Date());
      return boss.previewSchedule(expression, { tz: zone, from: new Date(), count });
    },
    async forget(days) {
      const { rowCount } = await sql`
        delete from job where date_finished < now() - make_interval(days => ${days})
          and id not in (
            select distinct on (name) id from job order by name, date_created desc)`.execute(db);
      return rowCount;
    },
  };
}

/** Returns the key that excludes parallel runs; undefined without one. */
function keyOf(definition: JobDefinition, input: unknown): string | undefined {
  return definition.key
    ? definition.key(input)
    : definition.overlap === 'dropped'
      ? definition.name
      : undefined;
}

/** Returns a new id for a job that a request attaches. */
export const newJobId = (): string => randomUUID();
