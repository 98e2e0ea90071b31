import { Permission, say } from '@sallyport/contract';
import type { Db } from '../../../platform/db/database.ts';
import {
  defineHousekeeping,
  defineJob,
  type JobDefinition,
  type JobRequester,
  runsTasks,
} from '../../../platform/jobs/definition.ts';
import type { Jobs } from '../../../platform/jobs/jobs.ts';
import type { SettingsService } from '../../../platform/settings/service.ts';
import { isRunning, scheduledTasks, type TaskInput, taskOf, tidyTasks } from './store.ts';
import { words } from './words.ts';

const TIDY_MINUTES = 5;

/**
 * Creates the job that starts scheduled tasks, and the cleanup. The started job has the id of the
 * execution.
 */
export function createTaskJobs({
  db,
  jobs,
  settings,
}: {
  readonly db: Db;
  readonly jobs: Jobs;
  readonly settings: SettingsService;
}): readonly JobDefinition[] {
  const run = defineJob<TaskInput>({
    name: 'run-task',
    title: words.run,
    ...runsTasks(() => scheduledTasks(db)),
    retries: { limit: 0, delaySeconds: 0 },
    repeatable: true,
    timeoutSeconds: 60,
    access: 'server',
    history: 'failures',
    async run({ input, once, caller: { language } }) {
      const task = await taskOf(input.task, db);
      const kind = task && jobs.definitionOf(task.job);
      // One run at a time: otherwise this occurrence is skipped.
      if (!task || !kind || (await isRunning(task.id, db))) return;
      const caller: JobRequester = {
        userId: undefined,
        name: say(words.periodic, language),
        organization: task.organization,
        permissions: Permission.ADMIN,
        language,
        zone: 'UTC',
      };
      await db.transaction(async (tx) => {
        if (await once(tx))
          await jobs.enqueue(kind, kind.input(task.input), { tx, caller, subject: task.subject });
      });
    },
  });
  const tidy = defineHousekeeping({
    name: 'tidy-tasks',
    title: words.upkeep,
    everyMinutes: TIDY_MINUTES,
    run: () => tidyTasks(settings.get('JOB_KEEP_DAYS'), db),
  });
  return [run, tidy] as readonly JobDefinition[];
}
