import { isUuid, Permission } from '@sallyport/contract';
import { defineJob, type JobDefinition, type RunningJob } from '../../platform/jobs/definition.ts';
import type { AssetFindings } from '../assets/index.ts';
import type { AssetReport, RemoteIdentity } from '../connections/index.ts';
import { type AssetJobOptions, connectivityOf, runOnAssets, type Work } from './run-on-assets.ts';
import { type AssetScope, accountNamesOf } from './store.ts';
import { hostnameOf, subjectOf, systemUserNameOf } from './tasks/store.ts';
import { words } from './words.ts';

/** Interval of the periodic connection test. */
const EVERY_MINUTES = 60;

interface JobOptions extends AssetJobOptions {
  readonly findings: AssetFindings;
}

/** Limits a run to the hosts that failed in the run `again` of the same task. */
interface Again {
  readonly again?: string;
}

/** The assets of a job. */
export type AssetWork = AssetScope & Again;

/** Tests a system user on all of its assets, or on one. */
export interface SystemUserTest extends Again {
  readonly id: string;
  readonly asset?: string;
  /** Limits the test to one account of a system user with the usernames of its users. */
  readonly username?: string;
}

export interface OpsJobs {
  readonly test: JobDefinition<AssetWork>;
  readonly testSystemUser: JobDefinition<SystemUserTest>;
  readonly hardware: JobDefinition<AssetWork>;
  readonly all: readonly JobDefinition[];
}

const againOf = (value: unknown): Again => {
  const { again } = value as { readonly again?: unknown };
  return isUuid(again) ? { again } : {};
};

function scopeOf(value: unknown): AssetWork {
  const { kind, id, ids } = value as {
    readonly kind?: unknown;
    readonly id?: unknown;
    readonly ids?: unknown;
  };
  if (kind === 'all') return { kind };
  if (kind === 'assets' && Array.isArray(ids) && ids.every(isUuid))
    return { kind, ids, ...againOf(value) };
  if ((kind === 'asset' || kind === 'node' || kind === 'admin_user') && isUuid(id))
    return { kind, id, ...againOf(value) };
  throw new Error('invalid scope of assets');
}

function systemUserTestOf(value: unknown): SystemUserTest {
  const { id, asset, username } = value as {
    readonly id?: unknown;
    readonly asset?: unknown;
    readonly username?: unknown;
  };
  if (
    !isUuid(id) ||
    (asset !== undefined && !isUuid(asset)) ||
    (username !== undefined && typeof username !== 'string')
  )
    throw new Error('invalid test of a system user');
  return {
    id,
    ...(asset !== undefined && { asset }),
    ...(username !== undefined && { username }),
    ...againOf(value),
  };
}

/** Key of the task for a scope. A set of assets has a key without their ids. */
const keyOf = (scope: AssetScope): string =>
  'id' in scope ? `${scope.kind}:${scope.id}` : scope.kind;

const ADMIN_USER: RemoteIdentity = { kind: 'admin_user' };
/** Common settings of jobs on assets: no retries, but a restart after an orderly stop. */
export const ON_ASSETS = {
  retries: { limit: 0, delaySeconds: 0 },
  repeatable: true,
  timeoutSeconds: 2 * 3_600,
  history: 'all',
} as const;

/** Stores the result of a connection test. */
async function keepTest(
  findings: AssetFindings,
  report: AssetReport<undefined>,
  as: RemoteIdentity,
): Promise<void> {
  if (report.state === 'skipped') return;
  const result = connectivityOf(report);
  const { username } = report;
  // An open port is no result for an account.
  if (as.kind !== 'admin_user' && username === '') return;
  await (as.kind === 'admin_user'
    ? findings.setConnectivity(result)
    : findings.setAccountConnectivity(result));
}

/** Task of a job that works as the admin users of assets. */
async function taskOf(
  name: string,
  { id, input }: Pick<RunningJob<AssetWork>, 'id' | 'input'>,
  db: JobOptions['db'],
): Promise<NonNullable<Work<'ping'>['task']>> {
  const { again, ...scope } = input;
  const subject = scope.kind === 'asset' ? await hostnameOf(scope.id, db) : await subjectOf(id, db);
  return {
    job: name,
    key: keyOf(scope),
    name: subject,
    input: scope,
    runAs: { isAdmin: true, name: '' },
    again,
  };
}

const pingOf = (findings: AssetFindings) =>
  ({
    kind: 'ping',
    input: undefined,
    done: words.reachable,
    keep: (report: AssetReport<undefined>, as: RemoteIdentity) => keepTest(findings, report, as),
  }) as const;

/** Creates the job that tests a system user on its assets. */
function createSystemUserTest(
  ping: ReturnType<typeof pingOf>,
  options: Omit<JobOptions, 'findings'>,
): JobDefinition<SystemUserTest> {
  return defineJob<SystemUserTest>({
    ...ON_ASSETS,
    name: 'test-system-user',
    title: words.testSystemUser,
    input: systemUserTestOf,
    concurrency: 4,
    access: Permission.ADMIN,
    async run(job) {
      const { id, asset, username: onlyUsername, again } = job.input;
      const names = (await accountNamesOf(id, options.db)).filter(
        ({ username }) => onlyUsername === undefined || username === onlyUsername,
      );
      const parts = names.map(({ username, isOfUser }) => ({
        scope: {
          kind: 'system_user',
          id,
          ...(asset && { asset }),
          ...(isOfUser && { username }),
        } as const,
        as: { kind: 'system_user', id, username } as const,
      }));
      const subject = await systemUserNameOf(id, options.db);
      const where = asset === undefined ? [] : [await hostnameOf(asset, options.db)];
      const task = {
        job: 'test-system-user',
        key: [
          'system_user',
          id,
          ...(asset ? [asset] : []),
          ...(onlyUsername === undefined ? [] : [onlyUsername]),
        ].join(':'),
        name: [subject, ...(onlyUsername === undefined ? [] : [onlyUsername]), ...where].join(
          ' - ',
        ),
        input: { id, asset, username: onlyUsername },
        runAs: { isAdmin: false, name: subject },
        again,
      };
      return runOnAssets(job, { ...ping, done: words.accepted, parts, task }, options);
    },
  });
}

/** Creates the jobs that test connections and accounts, and read hardware. */
export function createOpsJobs({ findings, ...options }: JobOptions): OpsJobs {
  const ping = pingOf(findings);

  const test = defineJob<AssetWork>({
    ...ON_ASSETS,
    name: 'test-assets',
    title: words.test,
    input: scopeOf,
    concurrency: 4,
    access: Permission.ADMIN,
    run: async (job) =>
      runOnAssets(
        job,
        {
          ...ping,
          parts: [{ scope: job.input, as: ADMIN_USER }],
          task: await taskOf('test-assets', job, options.db),
        },
        options,
      ),
  });
  const testSystemUser = createSystemUserTest(ping, options);
  const hardware = defineJob<AssetWork>({
    ...ON_ASSETS,
    name: 'read-hardware',
    title: words.hardware,
    input: scopeOf,
    concurrency: 4,
    access: Permission.ADMIN,
    run: async (job) =>
      runOnAssets(
        job,
        {
          kind: 'facts',
          input: undefined,
          task: await taskOf('read-hardware', job, options.db),
          parts: [{ scope: job.input, as: ADMIN_USER }],
          done: words.read,
          async keep(report) {
            if (report.state === 'done') await findings.setHardware(report.assetId, report.result);
          },
        },
        options,
      ),
  });
  const testAll = defineJob<void>({
    ...ON_ASSETS,
    name: 'test-all-assets',
    title: words.testAll,
    input: () => undefined,
    schedule: () =>
      options.settings.get('ASSET_TEST_PERIODIC') ? { everyMinutes: EVERY_MINUTES } : undefined,
    overlap: 'dropped',
    access: 'server',
    run: (job) =>
      runOnAssets(job, { ...ping, parts: [{ scope: { kind: 'all' }, as: ADMIN_USER }] }, options),
  });
  return {
    test,
    testSystemUser,
    hardware,
    all: [test, testSystemUser, hardware, testAll] as readonly JobDefinition[],
  };
}
