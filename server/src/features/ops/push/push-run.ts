import { type LocalText, say } from '@sallyport/contract';
import type { Db } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/sql.ts';
import type { RunningJob } from '../../../platform/jobs/definition.ts';
import { stopped } from '../../../resources/write/unit-of-work.ts';
import type { AssetReport, PushReport } from '../../connections/index.ts';
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
  waitingAssets,
  waitingNames,
} from './store.ts';
import { CHANGES, REASONS, words } from './words.ts';

/** The accounts to push. `again` limits it to those that failed in that run of the task. */
export interface PushInput {
  readonly systemUser: string;
  readonly scope: PushScope;
  readonly again?: string;
}

type Host = Pick<AssetReport<unknown>, 'name' | 'milliseconds'>;

/** Reason why a system user cannot be pushed; undefined if it can. */
function refusalOf({
  auto_push: isOn,
  login_mode: mode,
  protocol,
  has_secret: hasSecret,
}: PushedSystemUser): LocalText | undefined {
  if (protocol !== 'ssh' && protocol !== 'rdp') return REASONS.protocol;
  if (mode === 'manual') return REASONS.manual;
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

interface Counts {
  readonly done: number;
  readonly failed: number;
  readonly skipped: number;
}

/** One run of a push: pushes the waiting accounts of a system user and stores each outcome. */
class PushRun {
  private readonly job: RunningJob<PushInput>;
  private readonly options: AssetJobOptions;
  private readonly record: RecordedRun;
  private readonly total: number;
  private readonly counts = { done: 0, failed: 0, skipped: 0 };
  private lines = 0;

  constructor(
    job: RunningJob<PushInput>,
    options: AssetJobOptions,
    {
      record,
      total,
    }: {
      readonly record: RecordedRun;
      readonly total: number;
    },
  ) {
    this.job = job;
    this.options = options;
    this.record = record;
    this.total = total;
  }

  async push(systemUser: PushedSystemUser): Promise<Counts> {
    const { signal, log, caller, progress } = this.job;
    progress(0, this.total);
    try {
      await this.leaveUnreachable(systemUser);
      await this.pushWaiting();
    } finally {
      await this.record.end(signal, this.counts);
    }
    log(say(opsWords.summary, caller.language, this.counts));
    if (signal.aborted) throw stopped({ signal });
    return this.counts;
  }

  private async leaveUnreachable(systemUser: PushedSystemUser): Promise<void> {
    await this.leave('root', REASONS.root);
    // Changing the password of the admin user would lock us out of the server.
    await this.leave('admin_user', REASONS.adminUser);
    const refusal = refusalOf(systemUser);
    if (refusal) await this.leave('all', refusal);
    else await this.leave({ without: systemUser.protocol }, REASONS.offered);
  }

  private pushWaiting() {
    const { db, settings, remote } = this.options;
    const { signal, input } = this.job;
    const { systemUser: id } = input;
    return remote.push(id, (asset) => waitingNames(id, asset, db), {
      assets: waitingAssets(id, signal, db),
      parallel: settings.get('REMOTE_PARALLEL_HOSTS'),
      signal,
      onReport: async (report) => {
        // Interrupted accounts keep waiting.
        if (signal.aborted) return;
        const { assetId: asset } = report;
        if (report.state === 'done') {
          for (const each of report.result) {
            const { username } = each;
            await this.keep({ asset, username }, report, username, outcomeOf(each));
          }
          return;
        }
        const names = await waitingNames(id, asset, db);
        await this.keep({ asset }, report, names.join(', '), {
          state: report.state,
          reason: report.reason,
          ...('detail' in report && { detail: report.detail }),
        });
      },
    });
  }

  private line(text: LocalText, values: Readonly<Record<string, string | number>>): void {
    const { log, caller, progress } = this.job;
    const { done, failed, skipped } = this.counts;
    this.lines += 1;
    if (this.lines <= MOST_LINES) log(say(text, caller.language, values));
    progress(done + failed + skipped, this.total, failed, skipped);
  }

  private async leave(which: Parameters<typeof leaveOut>[1], reason: LocalText): Promise<void> {
    const { language } = this.job.caller;
    const count = await leaveOut(this.job.input.systemUser, which, reason, this.options.db);
    this.counts.skipped += count;
    if (count > 0) this.line(words.leftOut, { count, reason: say(reason, language) });
  }

  private async keep(
    on: { readonly asset: string; readonly username?: string },
    { name, milliseconds }: Host,
    username: string,
    outcome: PushOutcome,
  ): Promise<void> {
    const { language } = this.job.caller;
    const { state, reason, detail, changed = [] } = outcome;
    const kept = await keepOutcome(this.job.input.systemUser, on, outcome, this.options.db);
    this.counts[state] += kept;
    await this.record.add({
      assetId: on.asset,
      name,
      username,
      milliseconds,
      state,
      reason,
      detail,
    });
    const changes = changed
      .map((change) => say(CHANGES[change] ?? { en: change, zh: change }, language))
      .join(', ');
    this.line(state === 'done' ? words.pushed : words[state], {
      name,
      username,
      changes: changes || say(words.unchanged, language),
      reason: reason ? say(reason, language) : '',
    });
  }
}

const outcomeOf = ({ reason, detail, changed }: PushReport): PushOutcome => ({
  state: reason ? 'failed' : 'done',
  reason,
  detail,
  changed,
});

/** Runs a push. */
export async function runPush(
  job: RunningJob<PushInput>,
  options: AssetJobOptions,
): Promise<Counts> {
  const { db } = options;
  const { systemUser: id, scope, again } = job.input;
  const isAgain = again !== undefined && scope.kind === 'all';
  await markWaiting(id, isAgain ? { kind: 'failed' } : scope, db);
  const systemUser = await systemUserOf(id, db);
  if (!systemUser) return { done: 0, failed: 0, skipped: 0 };
  const total = await countWaiting(id, db);
  const record = await recordPush(job, systemUser, total, db);
  return new PushRun(job, options, { record, total }).push(systemUser);
}
