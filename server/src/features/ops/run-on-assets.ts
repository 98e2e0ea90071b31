import { type Language, type LocalText, say } from '@sallyport/contract';
import type { Db } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import type { RunningJob } from '../../platform/jobs/definition.ts';
import type { SettingsService } from '../../platform/settings/service.ts';
import { stopped } from '../../resources/write/unit-of-work.ts';
import type { ConnectivityResult } from '../assets/index.ts';
import type { AssetReport, RemoteIdentity, RemoteKinds, RemoteWork } from '../connections/index.ts';
import { type AssetScope, countOf, idsOf, pagesOf } from './store.ts';
import { type RunSubject, recordRun } from './tasks/record.ts';
import { words } from './words.ts';

/** Maximum number of asset lines in a log. The last line counts all assets. */
export const MOST_LINES = 500;

export interface AssetJobOptions {
  readonly db: Db;
  readonly settings: SettingsService;
  readonly remote: RemoteWork;
}

/** The work of one job. */
export interface Work<Kind extends keyof RemoteKinds> {
  readonly kind: Kind;
  readonly input:
    | RemoteKinds[Kind]['input']
    | ((assetId: string) => Promise<RemoteKinds[Kind]['input']>);
  /** Processed in order, each with its account. */
  readonly parts: readonly { readonly scope: AssetScope; readonly as: RemoteIdentity }[];
  /** Log line of a successful asset. */
  readonly done: LocalText;
  /** The task that this run belongs to; absent for jobs that cannot be repeated by hand. */
  readonly task?: Pick<RunSubject, 'job' | 'key' | 'name' | 'input' | 'runAs' | 'again'>;
  keep(report: AssetReport<RemoteKinds[Kind]['result']>, as: RemoteIdentity): Promise<void>;
}

type JobContext = Pick<RunningJob<unknown>, 'signal' | 'progress' | 'log' | 'caller'>;

export const outcomeOf = (report: AssetReport<unknown>) => {
  const { assetId, name, username, milliseconds, state } = report;
  return {
    assetId,
    name,
    username,
    milliseconds,
    state,
    ...(report.state !== 'done' && { reason: report.reason }),
    ...('detail' in report && { detail: report.detail }),
  };
};

/** Returns what a connection test found out. */
export function connectivityOf(
  report: Exclude<AssetReport<unknown>, { readonly state: 'skipped' }>,
): ConnectivityResult {
  const { assetId, username, services, state } = report;
  const isRefused = state === 'failed' && report.code === 'connect_credentials';
  return {
    assetId,
    username,
    isReachable: state === 'done',
    reason: state === 'failed' ? report.reason : undefined,
    isSignedIn: services ? true : isRefused ? false : undefined,
    ...services,
  };
}

const isKnown = (services: AssetReport<unknown>['services']): boolean =>
  services?.runsCommands !== undefined || services?.servesFiles !== undefined;

/** Says what a server offers to an account. Unknown offers are left out. */
function servicesText({ services }: AssetReport<unknown>, language: Language): string {
  const { runsCommands, servesFiles } = services ?? {};
  const parts = [
    runsCommands !== undefined && (runsCommands ? words.runsCommands : words.runsNoCommands),
    servesFiles !== undefined && (servesFiles ? words.servesFiles : words.servesNoFiles),
  ];
  return parts
    .flatMap((part) => (part ? [say(part, language)] : []))
    .join(language === 'zh' ? '，' : ', ');
}

/** Counts results per state, and logs a line per asset. */
export function createLines(
  { signal, progress, log, caller: { language } }: JobContext,
  total: number,
  done: LocalText,
) {
  const counts = { done: 0, failed: 0, skipped: 0 };
  let lines = 0;
  progress(0, total);
  return {
    add(report: AssetReport<unknown>): void {
      counts[report.state] += 1;
      lines += 1;
      const text =
        report.state !== 'done'
          ? words[report.state]
          : report.username === ''
            ? words.answered
            : done === words.accepted && isKnown(report.services)
              ? words.acceptedFor
              : done;
      const { name, milliseconds } = report;
      const reason = report.state === 'done' ? '' : say(report.reason, language);
      const services = servicesText(report, language);
      if (lines <= MOST_LINES) log(say(text, language, { name, milliseconds, reason, services }));
      progress(counts.done + counts.failed + counts.skipped, total, counts.failed, counts.skipped);
    },
    /** @throws the error that ends an aborted job */
    end() {
      log(say(words.summary, language, counts));
      if (signal.aborted) throw stopped({ signal });
      return counts;
    },
  };
}

/**
 * Runs work on assets within a job: progress, a log line per asset, a summary, and a record of the
 * run of its task.
 */
export async function runOnAssets<Kind extends keyof RemoteKinds>(
  job: JobContext & Pick<RunningJob<unknown>, 'id'>,
  work: Work<Kind>,
  { db, settings, remote }: AssetJobOptions,
) {
  const { signal } = job;
  const { parts, task } = work;
  const again = task?.again;
  let total = 0;
  for (const { scope } of parts) total += await countOf(scope, db, again);
  const hosts =
    parts.length === 0
      ? sql`select null::uuid where false`
      : sql.join(
          parts.map(({ scope }) => idsOf(scope, again)),
          sql` union `,
        );
  const record =
    task && (await recordRun(job, { ...task, modules: [work.kind], hosts }, { db, total }));
  const lines = createLines(job, total, work.done);
  try {
    for (const { scope, as } of parts) {
      await remote.run(work.kind, work.input, {
        assets: pagesOf(scope, signal, db, again),
        as,
        parallel: settings.get('REMOTE_PARALLEL_HOSTS'),
        signal,
        async onReport(report) {
          if (signal.aborted) return;
          await work.keep(report, as);
          await record?.add(outcomeOf(report));
          lines.add(report);
        },
      });
    }
  } finally {
    await record?.end(signal);
  }
  return lines.end();
}
