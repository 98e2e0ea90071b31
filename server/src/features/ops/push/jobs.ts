import { isUuid, type LocalText, Permission, say } from '@sallyport/contract';
import { sql } from 'kysely';
import type { Db } from '../../../platform/db/database.ts';
import {
  defineHousekeeping,
  defineJob,
  type JobDefinition,
  type JobRequester,
  type RunningJob,
} from '../../../platform/jobs/definition.ts';
import type { Jobs } from '../../../platform/jobs/jobs.ts';
import { stopped } from '../../../resources/write/progress.ts';
import type { AssetReport, PushReport } from '../../connections/index.ts';
import { ON_ASSETS } from '../jobs.ts';
import { type AssetJobOptions, MOST_LINES } from '../run-on-assets.ts';
import { type RecordedRun, type RunSubject, recordRun } from '../tasks/record.ts';
import { hostnameOf } from '../tasks/store.ts';
import { words as opsWords } from '../words.ts';
import {
  countWaiting,
  keepOutcome,
  leaveOut,
  markWaiting,
  PUSH_MODULES,
  type PushedSystemUser,
  type PushOutcome,
  type PushScope,
  systemUserOf,
  takeUnqueued,
  waitingAssets,
  waitingNames,
  wantAll,
} from './store.ts';
import { CHANGES, REASONS, words } from './words.ts';

/** The accounts to push. `again` limits it to those that failed in that run of the task. */
export interface PushInput {
  readonly systemUser: string;
  readonly scope: PushScope;
  readonly again?: string;
}

export interface PushJobs {
  readonly push: JobDefinition<PushInput>;
  readonly all: readonly JobDefinition[];
  /** Enqueues a job for each system user with requested pushes. */
  gather(): Promise<void>;
}

type Host = Pick<AssetReport<unknown>, 'name' | 'milliseconds'>;
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

/** Reason why a system user cannot be pushed; undefined if it can. */
function refusalOf({
  auto_push: isOn,
  login_mode: mode,
  protocol,
  has_secret: hasSecret,
}: PushedSystemUser): LocalText | undefined {
  if (protocol !== 'ssh' && protocol !== 'rdp') return REASONS.protocol;
  if (mode !== 'auto') return REASONS.manual;
  if (!isOn) return REASONS.off;
  return hasSecret ? undefined : REASONS.secret;
}

/** Starts the record of a push as a run of its task. */
async function recordPush(
  job: RunningJob<PushInput>,
  { id, name }: PushedSystemUser,
  total: number,
  db: Db,
): Promise<RecordedRun> {
  const { scope, again } = job.input;
  const one = scope.kind === 'asset' ? [scope.asset, scope.username ?? []].flat() : [];
  const names =
    scope.kind === 'asset'
      ? [name, scope.username ?? [], await hostnameOf(scope.asset, db)].flat()
      : [name];
  const subject: RunSubject = {
    job: 'push-system-user',
    key: ['system_user', id, ...one].join(':'),
    name: names.join(' - '),
    // A manual repetition pushes all accounts, whatever started this run.
    input: { systemUser: id, scope: scope.kind === 'asset' ? scope : { kind: 'all' } },
    modules: PUSH_MODULES,
    runAs: { isAdmin: true, name: '' },
    hosts: sql`select asset_id from system_user_push
      where system_user_id = ${id} and state = 'waiting'`,
    again,
  };
  return recordRun(job, subject, { db, total });
}

/**
 * Creates the jobs that push accounts to servers: on request, after bindings, and daily if the
 * setting is on.
 */
export function createPushJobs({
  db,
  settings,
  remote,
  jobs,
}: AssetJobOptions & { readonly jobs: Jobs }): PushJobs {
  async function run(job: RunningJob<PushInput>) {
    const { signal, log, caller } = job;
    const { systemUser: id, scope, again } = job.input;
    await markWaiting(
      id,
      again !== undefined && scope.kind === 'all' ? { kind: 'failed' } : scope,
      db,
    );
    const systemUser = await systemUserOf(id, db);
    if (!systemUser) return { done: 0, failed: 0, skipped: 0 };
    const total = await countWaiting(id, db);
    const record = await recordPush(job, systemUser, total, db);
    const counts = { done: 0, failed: 0, skipped: 0 };
    let lines = 0;
    const line = (text: LocalText, values: Readonly<Record<string, string | number>>) => {
      lines += 1;
      if (lines <= MOST_LINES) log(say(text, caller.language, values));
      job.progress(
        counts.done + counts.failed + counts.skipped,
        total,
        counts.failed,
        counts.skipped,
      );
    };
    job.progress(0, total);
    const leave = async (which: Parameters<typeof leaveOut>[1], reason: LocalText) => {
      const count = await leaveOut(id, which, reason, db);
      counts.skipped += count;
      if (count > 0) line(words.leftOut, { count, reason: say(reason, caller.language) });
    };
    const keep = async (
      on: { readonly asset: string; readonly username?: string },
      { name, milliseconds }: Host,
      username: string,
      outcome: PushOutcome,
    ) => {
      counts[outcome.state] += await keepOutcome(id, on, outcome, db);
      const { state, reason: why, detail } = outcome;
      await record.add({
        assetId: on.asset,
        name,
        username,
        milliseconds,
        state,
        reason: why,
        detail,
      });
      const { changed = [], reason } = outcome;
      const changes = changed
        .map((change) => say(CHANGES[change] ?? { en: change, zh: change }, caller.language))
        .join(', ');
      const values = {
        name,
        username,
        changes: changes || say(words.unchanged, caller.language),
        reason: reason ? say(reason, caller.language) : '',
      };
      line(outcome.state === 'done' ? words.pushed : words[outcome.state], values);
    };
    const outcomeOf = ({ reason, detail, changed }: PushReport): PushOutcome => ({
      state: reason ? 'failed' : 'done',
      reason,
      detail,
      changed,
    });
    try {
      await leave('root', REASONS.root);
      // Changing the password of the admin user would lock us out of the server.
      await leave('admin_user', REASONS.adminUser);
      const refusal = refusalOf(systemUser);
      if (refusal) await leave('all', refusal);
      else await leave({ without: systemUser.protocol }, REASONS.offered);
      await remote.push(id, (asset) => waitingNames(id, asset, db), {
        assets: waitingAssets(id, signal, db),
        parallel: settings.get('REMOTE_PARALLEL_HOSTS'),
        signal,
        async onReport(report) {
          // Interrupted accounts keep waiting.
          if (signal.aborted) return;
          const { assetId: asset } = report;
          if (report.state === 'done') {
            for (const each of report.result)
              await keep(
                { asset, username: each.username },
                report,
                each.username,
                outcomeOf(each),
              );
          } else {
            const names = await waitingNames(id, asset, db);
            await keep({ asset }, report, names.join(', '), {
              state: report.state,
              reason: report.reason,
              ...('detail' in report && { detail: report.detail }),
            });
          }
        },
      });
    } finally {
      await record.end(signal, counts);
    }
    log(say(opsWords.summary, caller.language, counts));
    if (signal.aborted) throw stopped({ signal });
    return counts;
  }

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
    run,
  });
  const gather = async () => {
    await db.transaction().execute(async (tx) => {
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
