import { isUuid, Permission } from '@sallyport/contract';
import {
  defineHousekeeping,
  defineJob,
  type JobDefinition,
  type JobRequester,
} from '../../../platform/jobs/definition.ts';
import type { Jobs } from '../../../platform/jobs/jobs.ts';
import { ON_ASSETS } from '../jobs.ts';
import type { AssetJobOptions } from '../run-on-assets.ts';
import { type PushInput, runPush } from './push-run.ts';
import { takeUnqueued, wantAll } from './store.ts';
import { words } from './words.ts';

export interface PushJobs {
  readonly push: JobDefinition<PushInput>;
  readonly all: readonly JobDefinition[];
  /** Enqueues a job for each system user with requested pushes. */
  gather(): Promise<void>;
}

/** Interval of the fallback for requests that no running server was notified of. */
const GATHER_MINUTES = 5;
/** Time of the daily push, if the setting is on. */
const DAILY_AT = '03:40';

function inputOf(value: unknown): PushInput {
  const { systemUser, scope, again } = value as {
    readonly systemUser?: unknown;
    readonly scope?: Partial<Record<string, unknown>>;
    readonly again?: unknown;
  };
  if (!isUuid(systemUser) || !scope) throw new Error('invalid push');
  const { kind, asset, username } = scope;
  if (kind === 'wanted' || kind === 'all' || kind === 'failed')
    return { systemUser, scope: { kind }, ...(isUuid(again) && { again }) };
  if (kind !== 'asset' || !isUuid(asset)) throw new Error('invalid scope of a push');
  return {
    systemUser,
    scope: { kind, asset, ...(typeof username === 'string' && { username }) },
    ...(isUuid(again) && { again }),
  };
}

/**
 * Creates the jobs that push accounts to servers: on request, after bindings, and daily if the
 * setting is on.
 */
export function createPushJobs({
  jobs,
  ...options
}: AssetJobOptions & { readonly jobs: Jobs }): PushJobs {
  const { db, settings } = options;
  const push = defineJob<PushInput>({
    ...ON_ASSETS,
    name: 'push-system-user',
    title: words.push,
    input: inputOf,
    // A concurrent deletion can cause a conflict.
    retries: { limit: 2, delaySeconds: 10 },
    overlap: 'queued',
    key: ({ systemUser }) => systemUser,
    concurrency: 4,
    access: Permission.ADMIN,
    run: (job) => runPush(job, options),
  });
  const gather = async () => {
    await db.transaction(async (tx) => {
      for (const { id, name, org_id: organization } of await takeUnqueued(tx)) {
        const caller: JobRequester = {
          userId: undefined,
          name: '',
          organization,
          permissions: Permission.ADMIN,
          language: 'zh',
          zone: 'UTC',
        };
        await jobs.enqueue(
          push,
          { systemUser: id, scope: { kind: 'wanted' } },
          { tx, caller, subject: name },
        );
      }
    });
  };
  const collect = defineHousekeeping({
    name: 'gather-pushes',
    title: words.gather,
    everyMinutes: GATHER_MINUTES,
    run: gather,
  });
  const daily = defineJob<void>({
    ...ON_ASSETS,
    name: 'push-system-users',
    title: words.pushAll,
    input: () => undefined,
    schedule: () => (settings.get('SYSTEM_USER_PUSH_DAILY') ? { dailyAt: DAILY_AT } : undefined),
    overlap: 'dropped',
    access: 'server',
    async run() {
      await wantAll(db);
      await gather();
    },
  });
  return { push, all: [push, collect, daily] as readonly JobDefinition[], gather };
}
