import { isUuid, type LocalText, Permission, say } from '@sallyport/contract';
import { sql } from '../../../platform/db/sql.ts';
import { NotFound, Rejected } from '../../../platform/errors.ts';
import { defineJob, type JobDefinition } from '../../../platform/jobs/definition.ts';
import { stopped } from '../../../resources/write/unit-of-work.ts';
import type { AssetReport, PushReport } from '../../connections/index.ts';
import { ON_ASSETS } from '../jobs.ts';
import { type AssetJobOptions, MOST_LINES } from '../run-on-assets.ts';
import { recordRun } from '../tasks/record.ts';
import { hostnameOf } from '../tasks/store.ts';
import { words as opsWords } from '../words.ts';
import { namesToPush, PUSH_MODULES, systemUserOf } from './store.ts';
import { CHANGES, words } from './words.ts';

/**
 * Dry run for a system user, on all of its assets or on one. `again` limits it to accounts that
 * failed in that run.
 */
export interface PushCheckInput {
  readonly systemUser: string;
  readonly asset?: string;
  readonly again?: string;
}

function inputOf(value: unknown): PushCheckInput {
  const { systemUser, asset, again } = value as {
    readonly systemUser?: unknown;
    readonly asset?: unknown;
    readonly again?: unknown;
  };
  if (!isUuid(systemUser) || (asset !== undefined && !isUuid(asset)))
    throw new Error('invalid dry run');
  return { systemUser, ...(asset !== undefined && { asset }), ...(isUuid(again) && { again }) };
}

/** Describes the steps that would make changes. */
function changesOf({ changed }: PushReport): LocalText {
  if (changed.length === 0) return words.unchanged;
  const list = (language: 'en' | 'zh') =>
    changed
      .map((change) => say(CHANGES[change] ?? { en: change, zh: change }, language))
      .join(', ');
  return {
    en: say(words.wouldChange, 'en', { changes: list('en') }),
    zh: say(words.wouldChange, 'zh', { changes: list('zh') }),
  };
}

/**
 * Creates the dry run of a push: signs in to each server and reports what a push would change. It
 * changes neither servers nor the results of earlier pushes.
 */
export function createPushCheck({
  db,
  settings,
  remote,
}: AssetJobOptions): JobDefinition<PushCheckInput> {
  return defineJob<PushCheckInput>({
    ...ON_ASSETS,
    name: 'check-push',
    title: words.check,
    input: inputOf,
    concurrency: 4,
    access: Permission.ADMIN,
    async run(job) {
      const { signal, log, caller } = job;
      const { systemUser: id, asset, again } = job.input;
      const row = await systemUserOf(id, db);
      if (!row) throw new NotFound('not_found');
      if (row.protocol !== 'ssh') throw new Rejected('push_check_ssh');
      if (row.login_mode === 'manual' || !row.has_secret) throw new Rejected('push_check_secret');
      const names = await namesToPush(id, { asset, again }, db);
      const total = [...names.values()].reduce((sum, { length }) => sum + length, 0);
      const subject = {
        job: 'check-push',
        key: ['system_user', id, ...(asset ? [asset] : [])].join(':'),
        name: [row.name, ...(asset ? [await hostnameOf(asset, db)] : [])].join(' - '),
        input: { systemUser: id, ...(asset && { asset }) },
        modules: PUSH_MODULES,
        runAs: { isAdmin: true, name: '' },
        hosts: sql`select unnest(${[...names.keys()]}::uuid[])`,
        again,
      };
      const record = await recordRun(job, subject, { db, total });
      const counts = { done: 0, failed: 0, skipped: 0 };
      let lines = 0;
      job.progress(0, total);
      const keep = async (
        { assetId, name, milliseconds }: AssetReport<unknown>,
        username: string,
        outcome: Outcome,
      ) => {
        const { state, reason, detail } = outcome;
        counts[state] += 1;
        await record.add({ assetId, name, username, milliseconds, state, reason, detail });
        lines += 1;
        const text = state === 'done' ? words.checked : words[state];
        if (lines <= MOST_LINES)
          log(say(text, caller.language, { name, username, reason: say(reason, caller.language) }));
        job.progress(
          counts.done + counts.failed + counts.skipped,
          total,
          counts.failed,
          counts.skipped,
        );
      };
      async function* assets() {
        const ids = [...names.keys()];
        for (let at = 0; at < ids.length && !signal.aborted; at += PAGE)
          yield ids.slice(at, at + PAGE);
      }
      try {
        await remote.push(id, async (on) => names.get(on) ?? [], {
          assets: assets(),
          check: true,
          parallel: settings.get('REMOTE_PARALLEL_HOSTS'),
          signal,
          async onReport(report) {
            if (signal.aborted) return;
            if (report.state === 'done')
              for (const each of report.result)
                await keep(report, each.username, {
                  state: each.reason ? 'failed' : 'done',
                  reason: each.reason ?? changesOf(each),
                  ...(each.detail && { detail: each.detail }),
                });
            else
              for (const username of names.get(report.assetId) ?? [])
                await keep(report, username, {
                  state: report.state,
                  reason: report.reason,
                  ...('detail' in report && { detail: report.detail }),
                });
          },
        });
      } finally {
        await record.end(signal);
      }
      log(say(opsWords.summary, caller.language, counts));
      if (signal.aborted) throw stopped({ signal });
      return counts;
    },
  });
}

/** Assets per batch. */
const PAGE = 500;

interface Outcome {
  readonly state: 'done' | 'failed' | 'skipped';
  readonly reason: LocalText;
  readonly detail?: string;
}
