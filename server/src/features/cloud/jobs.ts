import { isUuid, type LocalText, Permission, say } from '@sallyport/contract';
import { type Caller, systemCaller } from '../../platform/actor.ts';
import type { AddressPolicy } from '../../platform/address-policy.ts';
import { type Cloud, type CloudAccess, CloudError } from '../../platform/cloud/cloud.ts';
import type { Vault } from '../../platform/crypto/vault.ts';
import type { Db } from '../../platform/db/database.ts';
import { NotFound, Rejected } from '../../platform/errors.ts';
import {
  defineHousekeeping,
  defineJob,
  type JobCaller,
  type JobDefinition,
  type RunningJob,
  runsTasks,
} from '../../platform/jobs/definition.ts';
import { stopped } from '../../resources/write/unit-of-work.ts';
import type { Writer } from '../../resources/write/writer.ts';
import type { LicenseService } from '../license/index.ts';
import {
  accessOf,
  beginExecution,
  endAbandoned,
  endExecution,
  releaseMissing,
  type SyncInput,
  type SyncTask,
  scheduledTasks,
  setValidity,
  taskOf,
} from './store.ts';
import { Sync } from './sync.ts';
import { both, textOf, words } from './words.ts';

const SYNC_SECONDS = 4 * 3_600;
const TEST_SECONDS = 120;
/** Timeout of a test in milliseconds. */
const TEST_TIMEOUT = 60_000;
/** Maximum instances of a task. */
const MOST_INSTANCES = 50_000;
/** Problems that concern the account in every region. */
const ACCOUNT_PROBLEMS = new Set(['wrong_key', 'untrusted', 'refused_address']);

export interface CloudJobOptions {
  readonly db: Db;
  readonly vault: Vault;
  readonly policy: AddressPolicy;
  readonly license: Pick<LicenseService, 'isLicensed'>;
  /** The writer of assets. */
  readonly writer: () => Writer;
}

/** Opens the provider of an account. Its client is loaded at the first use. */
export async function openAccount(
  access: CloudAccess,
  policy: AddressPolicy,
  signal: AbortSignal,
): Promise<Cloud> {
  const { openCloud } = await import('../../platform/cloud/open.ts');
  return openCloud(access, { policy, signal });
}

/** The author of asset changes: the user who started the run, or the server. */
function writesAs({ name, language, zone }: JobCaller, organization: string): Caller {
  const { actor } = systemCaller('Cloud sync', '', { id: organization, name: '' });
  return { actor: name ? { ...actor, name } : actor, language, zone };
}

async function openOf(
  { db, vault, policy }: CloudJobOptions,
  account: string,
  signal: AbortSignal,
): Promise<Cloud> {
  const access = await accessOf(account, vault, db);
  if (!access) throw new NotFound('not_found');
  return openAccount(access, policy, signal);
}

/** Distinguishes a wrong key from a closed region. A key that works elsewhere is not wrong. */
async function judged(error: CloudError, cloud: Cloud): Promise<CloudError> {
  if (error.problem !== 'wrong_key') return error;
  return cloud.regions('en').then(
    () => new CloudError('region_closed', error.detail),
    () => error,
  );
}

/** Reads the regions of a task one after the other. Returns the problems, or undefined. */
async function readAll(
  { db, writer }: CloudJobOptions,
  task: SyncTask,
  cloud: Cloud,
  { id, signal, caller, log, progress }: RunningJob<SyncInput>,
): Promise<LocalText | undefined> {
  const sync = new Sync({
    execution: id,
    task,
    db,
    writer: writer(),
    caller: writesAs(caller, task.organization),
    log,
  });
  const failures: LocalText[] = [];
  const completeRegions: string[] = [];
  let total = 0;
  for (const [index, region] of task.regions.entries()) {
    progress(index, task.regions.length, failures.length);
    try {
      let count = 0;
      for await (const page of cloud.instances(region)) {
        count += await sync.take(page, signal);
        if (signal.aborted) throw stopped({ signal });
        if (total + count > MOST_INSTANCES) throw new CloudError('endless');
      }
      total += count;
      completeRegions.push(region);
      log(say(words.region, caller.language, { region, count }));
    } catch (raw) {
      if (signal.aborted) throw stopped({ signal });
      if (!(raw instanceof CloudError)) throw raw;
      const error = await judged(raw, cloud);
      if (signal.aborted) throw stopped({ signal });
      if (ACCOUNT_PROBLEMS.has(error.problem)) {
        await setValidity(task.account, textOf(error), db);
        return textOf(error);
      }
      const failure = both(words.regionFailed, { region, reason: textOf(error) });
      failures.push(failure);
      log(failure[caller.language]);
    }
  }
  await releaseMissing(id, task, completeRegions, db);
  if (completeRegions.length > 0) await setValidity(task.account, undefined, db);
  progress(task.regions.length, task.regions.length, failures.length);
  if (failures.length === 0) return undefined;
  return {
    en: failures.map(({ en }) => en).join('; '),
    zh: failures.map(({ zh }) => zh).join('；'),
  };
}

/** Creates the jobs of the cloud center: a run of a task, and the test of an account. */
export function createCloudJobs(options: CloudJobOptions): {
  readonly sync: JobDefinition<SyncInput>;
  readonly test: JobDefinition<{ readonly account: string }>;
  readonly upkeep: JobDefinition;
} {
  const { db, vault, policy, license } = options;
  const sync = defineJob<SyncInput>({
    name: 'sync-instances',
    title: words.sync,
    ...runsTasks(() => scheduledTasks(db)),
    concurrency: 2,
    // After the loss of a server, another one continues. Requests to the provider are retried
    // within the run.
    retries: { limit: 1, delaySeconds: 0 },
    repeatable: true,
    timeoutSeconds: SYNC_SECONDS,
    access: Permission.ADMIN,
    history: 'all',
    async run(job) {
      if (!license.isLicensed()) throw new Rejected('license_required');
      const task = await taskOf(job.input.task, db);
      if (!task) throw new NotFound('not_found');
      await beginExecution(job.id, task, db);
      let reason: LocalText | undefined = words.interrupted;
      try {
        reason = await readAll(options, task, await openOf(options, task.account, job.signal), job);
      } finally {
        // A run that the stop of the server interrupted will continue.
        if (job.signal.reason !== 'stopping')
          job.log(
            say(words.summary, job.caller.language, {
              ...(await endExecution(job.id, task, reason, db)),
            }),
          );
      }
      if (reason) throw new Rejected('cloud_sync_failed', { reason });
    },
  });

  const test = defineJob<{ readonly account: string }>({
    name: 'test-cloud-account',
    title: words.test,
    input(value) {
      const { account } = value as { readonly account?: unknown };
      if (!isUuid(account)) throw new Error('not an account');
      return { account };
    },
    overlap: 'queued',
    key: ({ account }) => account,
    concurrency: 2,
    retries: { limit: 0, delaySeconds: 0 },
    repeatable: true,
    timeoutSeconds: TEST_SECONDS,
    access: 'server',
    history: 'failures',
    async run({ input: { account }, signal }) {
      const access = await accessOf(account, vault, db);
      // The account was deleted.
      if (!access) return;
      const tried = await tryAccount(
        access,
        policy,
        AbortSignal.any([signal, AbortSignal.timeout(TEST_TIMEOUT)]),
      );
      if (!signal.aborted)
        await setValidity(account, tried instanceof CloudError ? textOf(tried) : undefined, db);
    },
  });
  const upkeep = defineHousekeeping({
    name: 'tidy-syncs',
    title: words.upkeep,
    everyMinutes: 1,
    run: () => endAbandoned(db),
  });
  return { sync, test, upkeep };
}

/** Tests an account by requesting its regions. Returns their number or the problem. */
export async function tryAccount(
  access: CloudAccess,
  policy: AddressPolicy,
  signal: AbortSignal,
): Promise<number | CloudError> {
  try {
    return (await (await openAccount(access, policy, signal)).regions('en')).length;
  } catch (error) {
    if (error instanceof CloudError) return error;
    throw error;
  }
}
