import { isUuid, PASSWORD_LENGTH, Permission, say } from '@sallyport/contract';
import { systemCaller } from '../../platform/actor.ts';
import type { Vault } from '../../platform/crypto/vault.ts';
import type { Db } from '../../platform/db/database.ts';
import { NotFound, Rejected } from '../../platform/errors.ts';
import {
  defineHousekeeping,
  defineJob,
  type JobCaller,
  type JobDefinition,
  type RunningJob,
} from '../../platform/jobs/definition.ts';
import type { SettingsService } from '../../platform/settings/service.ts';
import { stopped } from '../../resources/write/unit-of-work.ts';
import type { AssetAccounts } from '../assets/index.ts';
import type { RemoteWork } from '../connections/index.ts';
import type { LicenseService } from '../license/index.ts';
import { Change, type ChangeOptions, type NewSecrets } from './change.ts';
import {
  type ChangeInput,
  hasOldServer,
  type Plan,
  planKeySecret,
  planOf,
  planSecret,
  scheduledPlans,
} from './plan-store.ts';
import { randomKey, randomPassword } from './secrets.ts';
import {
  beginExecution,
  endExecution,
  leftSubtasks,
  openSubtasks,
  type SharedSecrets,
  type Subtask,
  takeSubtask,
} from './store.ts';
import { createVersionJob, type VersionInput } from './version.ts';
import { words } from './words.ts';

const TIMEOUT_SECONDS = 4 * 3_600;
/** Interval between checks for interrupted changes. */
const SETTLE_MINUTES = 5;

interface JobOptions {
  readonly db: Db;
  readonly vault: Vault;
  readonly settings: SettingsService;
  readonly license: Pick<LicenseService, 'isLicensed'>;
  readonly accounts: AssetAccounts;
  readonly remote: RemoteWork;
  readonly stopping: AbortSignal;
}

/** Returns the new password of a plan; undefined to keep the old one. @throws Rejected */
function newPassword(vault: Vault, { id, strategy, length, password }: Plan): string | undefined {
  if (strategy === 'keep') return undefined;
  if (strategy !== 'custom') return randomPassword(length ?? PASSWORD_LENGTH.usual);
  if (password === null) throw new Rejected('no_custom_password');
  return vault.open(password, planSecret(id));
}

/** Returns the new key of a plan; undefined to keep the old one. @throws Rejected */
async function newKey(
  vault: Vault,
  { id, username, keyStrategy, privateKey }: Plan,
  isOld: boolean,
): Promise<string | undefined> {
  if (keyStrategy === 'keep') return undefined;
  if (keyStrategy !== 'custom') return randomKey(username, isOld);
  if (privateKey === null) throw new Rejected('no_custom_key');
  return vault.open(privateKey, planKeySecret(id));
}

/** Returns the secrets of a server in a plan. */
const secretsFor =
  (vault: Vault, plan: Plan, shared: SharedSecrets) =>
  async ({ isOld }: Subtask): Promise<NewSecrets> => ({
    password: shared.password ?? newPassword(vault, plan),
    privateKey: shared.privateKey ?? (await newKey(vault, plan, isOld)),
  });

function work(
  { db, vault, accounts, remote }: JobOptions,
  signal: AbortSignal,
  caller?: JobCaller,
): Change {
  const by: ChangeOptions['by'] = ({ organization }) => {
    const { actor } = systemCaller('System', '', { id: organization, name: '' });
    return { actor: caller?.name ? { ...actor, name: caller.name } : actor };
  };
  return new Change({ db, vault, accounts, remote, by, signal });
}

/** Runs subtasks, several in parallel. */
async function runAll(
  options: JobOptions,
  subtasks: readonly Subtask[],
  secrets: (subtask: Subtask) => Promise<NewSecrets>,
  { signal, caller, log, progress }: RunningJob<unknown>,
): Promise<void> {
  const counts = { done: 0, failed: 0 };
  const queue = subtasks[Symbol.iterator]();
  const change = work(options, signal, caller);
  progress(0, subtasks.length);
  const next = async () => {
    for (const subtask of queue) {
      if (signal.aborted) return;
      const { isSuccess, reason } = await change.run(subtask, () => secrets(subtask));
      if (signal.aborted) return;
      counts[isSuccess ? 'done' : 'failed'] += 1;
      const text = isSuccess ? words.done : words.failed;
      log(
        say(text, caller.language, {
          name: subtask.hostname,
          reason: reason ? say(reason, caller.language) : '',
        }),
      );
      progress(counts.done + counts.failed, subtasks.length, counts.failed);
    }
  };
  await Promise.all(
    Array.from(
      { length: Math.min(options.settings.get('REMOTE_PARALLEL_HOSTS'), subtasks.length) },
      next,
    ),
  );
  if (signal.aborted) throw stopped({ signal });
  log(say(words.summary, caller.language, counts));
}

/**
 * Creates the jobs: a run of a plan, a retry of one server, a stored version, and the settling of
 * interrupted changes.
 */
export function createChangeJobs(options: JobOptions): {
  readonly change: JobDefinition<ChangeInput>;
  readonly setVersion: JobDefinition<VersionInput>;
  readonly all: readonly JobDefinition[];
} {
  const { db, vault, license, stopping } = options;
  const all = (
    subtasks: readonly Subtask[],
    secrets: (subtask: Subtask) => Promise<NewSecrets>,
    job: RunningJob<unknown>,
  ) => runAll(options, subtasks, secrets, job);
  const change = defineJob<ChangeInput>({
    name: 'change-auth',
    title: words.change,
    input(value) {
      const { plan, subtask } = value as { readonly plan?: unknown; readonly subtask?: unknown };
      if (!isUuid(plan) || (subtask !== undefined && !isUuid(subtask)))
        throw new Error('invalid plan or subtask');
      return { plan, ...(subtask !== undefined && { subtask }) };
    },
    rows: () => scheduledPlans(db),
    overlap: 'dropped',
    key: ({ plan }) => plan,
    concurrency: 2,
    // If this server is lost, another one settles the interrupted changes and continues.
    retries: { limit: 1, delaySeconds: 0 },
    repeatable: true,
    timeoutSeconds: TIMEOUT_SECONDS,
    access: Permission.ADMIN,
    history: 'all',
    async run(job) {
      if (!license.isLicensed()) throw new Rejected('license_required');
      const plan = await planOf(job.input.plan, db);
      if (!plan) throw new NotFound('not_found');
      if (job.input.subtask !== undefined) {
        const subtask = await takeSubtask(job.input.subtask, job.id, db);
        return all(subtask ? [subtask] : [], secretsFor(vault, plan, {}), job);
      }
      const fresh: SharedSecrets = {
        ...(plan.strategy === 'random_one' && { password: newPassword(vault, plan) }),
        ...(plan.keyStrategy === 'random_one' && {
          privateKey: await newKey(vault, plan, await hasOldServer(plan.id, db)),
        }),
      };
      const { total, shared } = await beginExecution(job.id, plan, fresh, { vault, db });
      if (total === 0) {
        await endExecution(job.id, db);
        throw new Rejected('no_assets_in_plan');
      }
      try {
        await all(await openSubtasks(job.id, db), secretsFor(vault, plan, shared), job);
      } finally {
        // A run interrupted by a server stop continues later.
        if (job.signal.reason !== 'stopping') await endExecution(job.id, db);
      }
    },
  });

  const settle = defineHousekeeping({
    name: 'settle-change-auth',
    title: words.settle,
    everyMinutes: SETTLE_MINUTES,
    timeoutSeconds: TIMEOUT_SECONDS,
    async run() {
      const one = work(options, stopping);
      for (const subtask of await leftSubtasks(db)) {
        if (stopping.aborted) return;
        if (subtask.pending !== null) await one.settle({ ...subtask, pending: subtask.pending });
      }
    },
  });
  const setVersion = createVersionJob({ db, vault, isLicensed: () => license.isLicensed(), all });
  return { change, setVersion, all: [change, setVersion, settle] as readonly JobDefinition[] };
}
