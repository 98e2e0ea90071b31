import { isUuid, type LocalText, Permission, say } from '@sallyport/contract';
import type { Db } from '../../platform/db/database.ts';
import { defineJob, type JobDefinition, type RunningJob } from '../../platform/jobs/definition.ts';
import { stopped } from '../../resources/progress.ts';
import type { AssetFindings, FoundHardware } from '../assets/findings.ts';
import type { SettingsService } from '../settings/service.ts';
import type { AssetReport, AssetRun, RemoteWork } from './remote-work.ts';
import { type AssetScope, countOf, pagesOf } from './store.ts';
import { words } from './words.ts';

/** Lines of failed assets that a log keeps; the last line counts all of them. */
const MOST_LINES = 500;
/** A test that is repeated by itself. */
const EVERY_MINUTES = 60;

interface JobOptions {
  readonly db: Db;
  readonly findings: AssetFindings;
  readonly settings: SettingsService;
  readonly remote: () => RemoteWork;
}

/** The jobs of this module. */
export interface OpsJobs {
  readonly test: JobDefinition<AssetScope>;
  readonly hardware: JobDefinition<AssetScope>;
  readonly all: readonly JobDefinition[];
}

function scopeOf(value: unknown): AssetScope {
  const { kind, id } = value as { readonly kind?: unknown; readonly id?: unknown };
  if (kind === 'all') return { kind };
  if ((kind === 'asset' || kind === 'node' || kind === 'admin_user') && isUuid(id)) return { kind, id };
  throw new Error('not a scope of assets');
}

/** Tests of the connection and readings of the hardware, over one asset or many. */
export function createOpsJobs({ db, findings, settings, remote }: JobOptions): OpsJobs {
  async function over<Result>(
    scope: AssetScope,
    { signal, progress, log, caller: { language } }: Pick<RunningJob<unknown>, 'signal' | 'progress' | 'log' | 'caller'>,
    run: (assets: AssetRun<Result>) => Promise<void>,
    done: LocalText,
    keep: (report: AssetReport<Result>) => Promise<void>,
  ) {
    const total = await countOf(scope, db);
    const counts = { done: 0, failed: 0, skipped: 0 };
    let lines = 0;
    progress(0, total);
    await run({
      assets: pagesOf(scope, signal, db),
      parallel: settings.get('REMOTE_PARALLEL_HOSTS'),
      signal,
      async onReport(report) {
        if (signal.aborted) return;
        await keep(report);
        counts[report.state] += 1;
        lines += 1;
        const text = report.state === 'done' ? done : words[report.state];
        const { name, milliseconds } = report;
        const reason = report.state === 'done' ? '' : say(report.reason, language);
        if (lines <= MOST_LINES) log(say(text, language, { name, milliseconds, reason }));
        progress(counts.done + counts.failed + counts.skipped, total);
      },
    });
    log(say(words.summary, language, counts));
    if (signal.aborted) throw stopped({ signal });
    return counts;
  }

  const keepConnectivity = async (report: AssetReport<undefined>) => {
    if (report.state === 'skipped') return;
    await findings.setConnectivity({
      assetId: report.assetId,
      isReachable: report.state === 'done',
      reason: report.state === 'failed' ? report.reason : undefined,
    });
  };
  const common = { retries: { limit: 0, delaySeconds: 0 }, repeatable: true, timeoutSeconds: 2 * 3_600 } as const;

  const test = defineJob<AssetScope>({
    ...common,
    name: 'test-assets',
    title: words.test,
    input: scopeOf,
    concurrency: 4,
    access: Permission.ADMIN,
    history: 'all',
    run: (job) => over<undefined>(job.input, job, (run) => remote().test(run), words.reachable, keepConnectivity),
  });
  const hardware = defineJob<AssetScope>({
    ...common,
    name: 'read-hardware',
    title: words.hardware,
    input: scopeOf,
    concurrency: 4,
    access: Permission.ADMIN,
    history: 'all',
    run: (job) =>
      over<FoundHardware>(
        job.input,
        job,
        (run) => remote().readHardware(run),
        words.read,
        async (report) => {
          if (report.state === 'done') await findings.setHardware(report.assetId, report.result);
        },
      ),
  });
  const testAll = defineJob<void>({
    ...common,
    name: 'test-all-assets',
    title: words.testAll,
    input: () => undefined,
    schedule: () => (settings.get('ASSET_TEST_PERIODIC') ? { everyMinutes: EVERY_MINUTES } : undefined),
    overlap: 'dropped',
    access: 'server',
    history: 'all',
    run: (job) => over<undefined>({ kind: 'all' }, job, (run) => remote().test(run), words.reachable, keepConnectivity),
  });
  return { test, hardware, all: [test, hardware, testAll] as readonly JobDefinition[] };
}
