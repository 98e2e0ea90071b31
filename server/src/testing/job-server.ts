import { openBus } from '../platform/bus/bus.ts';
import { createVault, directKey } from '../platform/crypto/vault.ts';
import { openDatabase } from '../platform/db/database.ts';
import { defineJob, type RunningJob } from '../platform/jobs/definition.ts';
import { createJobs } from '../platform/jobs/jobs.ts';
import { createLog } from '../platform/log.ts';

/** A server reduced to its jobs, with one kind of job that another such server can finish. */
export async function openJobServer(
  url: string,
  run: (job: RunningJob<string>, db: ReturnType<typeof openDatabase>['db']) => Promise<unknown>,
) {
  const database = openDatabase(url, 5);
  const log = createLog('silent');
  const bus = await openBus(url, database.pool, log);
  const pace = { pollSeconds: 0.5, leaseSeconds: 10, superviseSeconds: 1 };
  const jobs = createJobs({
    pool: database.pool,
    db: database.db,
    bus,
    vault: createVault(directKey(Buffer.alloc(32, 7))),
    log,
    pace,
  });
  const job = defineJob<string>({
    name: 'shared-work',
    title: { en: 'Shared work', zh: '共享任务' },
    input: String,
    retries: { limit: 2, delaySeconds: 0 },
    timeoutSeconds: 120,
    access: 'server',
    history: 'all',
    run: (running) => run(running, database.db),
  });
  jobs.define(job);
  await jobs.start();
  return {
    job,
    jobs,
    db: database.db,
    async stop() {
      await jobs.stop();
      await bus.close();
      await database.close();
    },
  };
}

// As a separate process it does the work once, reports it, and never ends the run.
const [, script, url] = process.argv;
if (script === import.meta.filename && url) {
  await openJobServer(url, async (job, db) => {
    const isFirst = await db.transaction((tx) => job.once(tx));
    job.progress(1, 2);
    process.stdout.write(`running ${job.attempt} ${isFirst}\n`);
    await new Promise(() => undefined);
  });
}
