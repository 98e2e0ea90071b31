import {
  ERRORS,
  type ErrorCode,
  type ErrorParams,
  formatDatetime,
  isUuid,
  Permission,
  say,
} from '@sallyport/contract';
import type { Db } from '../../../platform/db/database.ts';
import { Conflict, Rejected } from '../../../platform/errors.ts';
import {
  defineHousekeeping,
  defineJob,
  type JobDefinition,
  type RunningJob,
} from '../../../platform/jobs/definition.ts';
import type { Logger } from '../../../platform/log.ts';
import type { SettingsService } from '../../../platform/settings/service.ts';
import type { CommandPerson, CommandReport, CommandWork } from '../../connections/index.ts';
import { connects, type GrantService } from '../../perms/index.ts';
import { createLiveOutput, type LiveOutput } from './live-output.ts';
import {
  assetsOf,
  beginCommand,
  type Ending,
  endAbandoned,
  endCommand,
  forgetCommands,
  type HostOutcome,
  keepOutcome,
  keepPartial,
  type StartedCommand,
} from './store.ts';
import { wavesOf } from './waves.ts';
import { worded, words } from './words.ts';

/** Maximum output lines per host in the job log. The host keeps all. */
const MOST_LINES = 40;
const HOUR = 3_600;

export interface CommandInput {
  readonly id: string;
  readonly loginId: string;
}

export interface CommandJobOptions {
  readonly db: Db;
  readonly grants: Pick<GrantService, 'checkMany'>;
  readonly settings: SettingsService;
  readonly work: CommandWork;
  readonly log: Logger;
}

function inputOf(value: unknown): CommandInput {
  const { id, loginId } = value as { readonly id?: unknown; readonly loginId?: unknown };
  if (!isUuid(id) || typeof loginId !== 'string') throw new Error('invalid batch command');
  return { id, loginId };
}

/** Checks all conditions before the first host is contacted. @throws an error with a code */
async function check(
  { settings, grants, work }: CommandJobOptions,
  command: StartedCommand,
  person: CommandPerson,
  assets: readonly string[],
): Promise<void> {
  if (!settings.get('SECURITY_COMMAND_EXECUTION')) throw new Rejected('command_execution_off');
  await assertGranted(grants, person.userId, command.systemUserId, assets).then((rules) =>
    work.requireFactor(person, rules),
  );
  const [first] = assets;
  if (first !== undefined)
    await work.decide({
      person,
      assetId: first,
      systemUserId: command.systemUserId,
      command: command.command,
    });
}

/** Runs a command on all of its hosts, in waves. Returns what stopped it early. */
async function runOnAll(
  options: CommandJobOptions,
  command: StartedCommand,
  person: CommandPerson,
  job: RunningJob<CommandInput>,
): Promise<Ending | undefined> {
  const { db, settings, work, log } = options;
  const hosts = await assetsOf(command.id, db);
  const names = new Map(hosts.map(({ assetId, hostname }) => [assetId, hostname]));
  await check(options, command, person, [...names.keys()]);
  const waves = wavesOf([...names.keys()], command.isCanary, command.failureLimit);
  const counts = { finished: 0, failed: 0 };
  const live = createLiveOutput((partial) => keepPartial(command.id, partial, db), log);
  const canContinue = () =>
    !job.signal.aborted && waves.canContinue(counts.finished, counts.failed);
  try {
    for (const assets of waves.groups) {
      if (!canContinue()) break;
      await work.run({
        person,
        systemUserId: command.systemUserId,
        command: command.command,
        assets,
        canContinue,
        parallel: settings.get('REMOTE_PARALLEL_HOSTS'),
        secondsPerHost: settings.get('COMMAND_EXECUTION_TIMEOUT'),
        signal: job.signal,
        onBegin: live.begin,
        onOutput: live.add,
        async onReport(report) {
          const isCanceled = job.signal.reason === 'canceled';
          const outcome = outcomeOf(report, live.take(report.assetId), isCanceled);
          if (outcome.state !== 'canceled') counts.finished += 1;
          if (outcome.state === 'failed') counts.failed += 1;
          await keepOutcome(command.id, outcome, db);
          writeLines(job, names.get(report.assetId) ?? '', outcome);
          job.progress(counts.finished, names.size, counts.failed);
        },
      });
    }
  } finally {
    await live.end();
  }
  const { finished: done, failed } = counts;
  job.log(say(words.end, job.caller.language, { done, failed }));
  if (job.signal.aborted)
    throw new Rejected(
      job.signal.reason === 'canceled' ? 'command_canceled' : 'command_interrupted',
    );
  return canContinue() || done === names.size
    ? undefined
    : {
        stop: 'limit',
        problem: worded('command_too_many_failures', { limit: command.failureLimit }),
      };
}

/**
 * Creates the job that runs batch commands. Interrupted runs are not repeated, because their effect
 * is unknown.
 */
export function createCommandJobs(options: CommandJobOptions): {
  readonly run: JobDefinition<CommandInput>;
  readonly all: readonly JobDefinition[];
} {
  const { db, settings } = options;
  const run = defineJob<CommandInput>({
    name: 'run-command',
    title: words.title,
    input: inputOf,
    concurrency: 4,
    retries: { limit: 0, delaySeconds: 0 },
    repeatable: false,
    isRunOnce: true,
    timeoutSeconds: 4 * HOUR,
    access: Permission.USE,
    history: 'all',
    async run(job) {
      const { id, loginId } = job.input;
      const command = await beginCommand(id, db);
      if (!command) throw new Conflict('command_ran');
      const { language, zone } = job.caller;
      job.log(say(words.start, language, { time: formatDatetime(new Date(), zone) }));
      for (const line of linesOf(command.command)) job.log(`$ ${line}`);
      const end = async (ending: Ending | undefined) => {
        const counts = await endCommand(id, ending, db);
        if (counts) job.progress(counts.done, counts.total, counts.failed);
      };
      try {
        const person: CommandPerson = {
          userId: command.userId ?? '',
          display: command.user,
          language,
          remoteAddr: command.remoteAddress,
          loginId,
        };
        await end(await runOnAll(options, command, person, job));
      } catch (error) {
        const { code, params } = codeOf(error);
        job.log(say(ERRORS[code], language, params));
        const stop = code === 'command_canceled' ? 'canceled' : 'error';
        await end({ stop, problem: worded(code, params) });
        throw error instanceof Conflict || code === 'internal' ? error : new Rejected(code, params);
      }
    },
  });
  const upkeep = defineHousekeeping({
    name: 'tidy-commands',
    title: words.upkeep,
    everyMinutes: 1,
    async run() {
      await endAbandoned(db);
      await forgetCommands(settings.get('LOGIN_LOG_KEEP_DAYS'), db);
    },
  });
  return { run, all: [run, upkeep] as readonly JobDefinition[] };
}

/**
 * Returns the permissions by which a user may connect to all of these assets as a system user.
 * @throws Rejected command_hosts_denied if an asset is not granted. It contains ids, because the
 * user may not know the names
 */
export async function assertGranted(
  grants: Pick<GrantService, 'checkMany'>,
  userId: string,
  systemUserId: string,
  assets: readonly string[],
): Promise<readonly string[]> {
  const granted = await grants.checkMany(userId, assets, systemUserId);
  const denied = assets.filter((id) => !connects(granted.get(id)));
  if (denied.length > 0)
    throw new Rejected('command_hosts_denied', { hosts: denied.slice(0, 5).join(', ') });
  return [...new Set([...granted.values()].flatMap(({ rules }) => rules))];
}

/** Converts a report to a stored outcome. An interrupted host keeps its output so far. */
function outcomeOf(
  report: CommandReport,
  partial: ReturnType<LiveOutput['take']>,
  isCanceled: boolean,
): HostOutcome {
  const { assetId, milliseconds } = report;
  if (report.state === 'failed') {
    const state = isCanceled ? 'canceled' : 'failed';
    return { assetId, milliseconds, state, problem: report.reason, ...partial };
  }
  const { output: stdout, errors: stderr, isCut, status } = report;
  const common = { assetId, milliseconds, rc: status, stdout, stderr, isCut };
  if (status === 0) return { ...common, state: 'succeeded' };
  return {
    ...common,
    state: 'failed',
    problem: status === undefined ? worded('command_signal') : worded('command_status', { status }),
  };
}

function writeLines(
  { log, caller: { language } }: RunningJob<unknown>,
  host: string,
  outcome: HostOutcome,
): void {
  const { milliseconds, problem, stdout = '', stderr = '' } = outcome;
  log(
    problem
      ? say(words.failed, language, { host, reason: say(problem, language) })
      : say(words.succeeded, language, { host, milliseconds }),
  );
  const lines = [...linesOf(stdout), ...linesOf(stderr)];
  for (const line of lines.slice(0, MOST_LINES)) log(line);
  if (lines.length > MOST_LINES) log('…');
}

/**
 * Splits text into lines without control sequences, which could affect the terminal of the reader.
 */
function linesOf(text: string): readonly string[] {
  return text
    .replaceAll('\r\n', '\n')
    .replace(/[^\P{Cc}\n\t]/gu, '')
    .replace(/\n+$/, '')
    .split('\n')
    .filter((line, _, lines) => lines.length > 1 || line !== '');
}

/** Error code of a service error or a gateway refusal. */
export function codeOf(error: unknown): { readonly code: ErrorCode; readonly params: ErrorParams } {
  if (error instanceof Error) {
    const { code, params = {} } =
      'problem' in error
        ? (error.problem as { code?: unknown; params?: ErrorParams })
        : (error as { code?: unknown; params?: ErrorParams });
    if (typeof code === 'string' && Object.hasOwn(ERRORS, code))
      return { code: code as ErrorCode, params };
  }
  return { code: 'internal', params: {} };
}
