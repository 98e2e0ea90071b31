import { Permission, say } from '@sallyport/contract';
import type { Db } from '../../platform/db/database.ts';
import { NotFound, Rejected } from '../../platform/errors.ts';
import { defineJob, type JobDefinition, runsTasks } from '../../platform/jobs/definition.ts';
import type { SettingsService } from '../../platform/settings/service.ts';
import { stopped } from '../../resources/write/unit-of-work.ts';
import type { RemoteWork } from '../connections/index.ts';
import type { LicenseService } from '../license/index.ts';
import { countOf, pagesOf } from '../ops/index.ts';
import {
  beginExecution,
  endExecution,
  type GatherInput,
  keepReport,
  scheduledTasks,
  taskOf,
} from './store.ts';
import { words } from './words.ts';

const TIMEOUT_SECONDS = 7_200;

interface JobOptions {
  readonly db: Db;
  readonly settings: SettingsService;
  readonly license: Pick<LicenseService, 'isLicensed'>;
  readonly remote: RemoteWork;
}

/** Creates the job that reads the accounts of the servers of a task. */
export function createGatherJob({
  db,
  settings,
  license,
  remote,
}: JobOptions): JobDefinition<GatherInput> {
  return defineJob<GatherInput>({
    name: 'gather-users',
    title: words.gather,
    ...runsTasks(() => scheduledTasks(db)),
    concurrency: 2,
    retries: { limit: 0, delaySeconds: 0 },
    repeatable: true,
    timeoutSeconds: TIMEOUT_SECONDS,
    access: Permission.ADMIN,
    history: 'all',
    async run(job) {
      const { signal } = job;
      const { language } = job.caller;
      if (!license.isLicensed()) throw new Rejected('license_required');
      const task = await taskOf(job.input.task, db);
      if (!task) throw new NotFound('not_found');
      const scope = { kind: 'gather_user_task', id: task.id } as const;
      const total = await countOf(scope, db);
      if (total === 0) throw new Rejected('no_assets_below_nodes');
      await beginExecution(job.id, task, total, db);
      const counts = { done: 0, failed: 0 };
      job.progress(0, total);
      await remote.run('gather-users', undefined, {
        assets: pagesOf(scope, signal, db),
        parallel: settings.get('REMOTE_PARALLEL_HOSTS'),
        signal,
        async onReport(report) {
          if (signal.aborted) return;
          const { assetId, name, milliseconds } = report;
          const isDone = report.state === 'done';
          const kept = { assetId, hostname: name, milliseconds };
          await keepReport(
            job.id,
            task,
            isDone ? { ...kept, users: report.result } : { ...kept, reason: report.reason },
            db,
          );
          counts[isDone ? 'done' : 'failed'] += 1;
          job.log(
            isDone
              ? say(words.found, language, { name, count: report.result.length, milliseconds })
              : say(words.failed, language, { name, reason: say(report.reason, language) }),
          );
          job.progress(counts.done + counts.failed, total, counts.failed);
        },
      });
      // A run interrupted by a server stop restarts.
      if (signal.reason !== 'stopping') await endExecution(job.id, db);
      if (signal.aborted) throw stopped({ signal });
      job.log(say(words.summary, language, counts));
      return counts;
    },
  });
}
