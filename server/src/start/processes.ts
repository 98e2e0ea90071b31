import cluster, { type Worker } from 'node:cluster';
import { type Config, flagsOf } from '../config.ts';
import { PROCESS_SOCKETS } from '../features/servers/index.ts';
import { prepareSocketFolder } from '../platform/db/socket-folder.ts';
import type { Logger } from '../platform/log.ts';
import { mergeFamilies } from '../platform/metrics/merge-families.ts';
import type { Family } from '../platform/metrics/open-metrics.ts';
import { reportReady, type StateOfProcesses } from '../platform/process.ts';
import type { Lifetime } from './lifetime.ts';
import { openFolder } from './open-folder.ts';

/** Pauses before a dead process is replaced: doubled for each failure until one ran for a while. */
const FIRST_WAIT_MILLISECONDS = 1_000;
const LONGEST_WAIT_MILLISECONDS = 60_000;
const STEADY_MILLISECONDS = 5 * 60_000;
/** Time of a process to end after a failure of another part, before it is killed. */
const END_MILLISECONDS = 15_000;
const MOST_REASON = 500;

/** A process that ended before it was ever ready. */
interface FailedStart {
  readonly status: number;
  readonly reason: string | undefined;
}

/**
 * Runs a server as several processes that share its ports. This one holds the data folder, its
 * database and the ports, and replaces processes that died. The kernel gives each connection to a
 * process that accepts it.
 * Returns true when all are ready, and false if the server is stopping before. Ends this process if
 * the first one cannot start.
 */
export async function runProcesses(
  config: Config,
  log: Logger,
  lifetime: Lifetime,
  flags: readonly string[],
): Promise<boolean> {
  const folder = await openFolder(config, log, lifetime);
  prepareSocketFolder(config.dataDirectory, {}, PROCESS_SOCKETS);
  const embedded = await folder.embedded;
  const processes = new Processes(config, log, flags);
  // The last step added runs first: the processes end before their database.
  lifetime.onStop(() => processes.end());
  lifetime.onLeave(() => processes.leave());
  void embedded?.lost.then((reason) => {
    if (!processes.isEnding) lifetime.fail(`the database is gone: ${reason}`);
  });
  const failed = await processes.start();
  if (processes.isEnding) return false;
  if (failed) {
    processes.isEnding = true;
    // Its message is printed. The supervisor acts on the status.
    await folder.undo.run();
    process.exit(failed.status);
  }
  process.stdout.write(`${processes.lines.join('\n')}\n`);
  reportReady();
  return true;
}

/** A report of a process (`platform/process.ts`). */
interface Message {
  readonly kind?: unknown;
  readonly reason?: unknown;
  readonly lines?: readonly string[];
  readonly counts?: Readonly<Record<string, readonly Family[]>>;
}

/** The processes of a server, by their number. */
class Processes {
  readonly #config: Config;
  readonly #log: Logger;
  readonly #flags: readonly string[];
  readonly #running = new Map<number, Worker>();
  readonly #ready = new Set<number>();
  readonly #failures = new Map<number, number>();
  readonly #timers = new Set<NodeJS.Timeout>();
  /** Counts as they were shown last, and the sum of those of processes that ended. */
  readonly #counts = new Map<number, readonly Family[]>();
  #carried: readonly Family[] = [];
  #restarts = 0;
  #changed: () => void = () => undefined;
  /** Lines of the first process for the operator. */
  lines: readonly string[] = [];
  isEnding = false;

  constructor(config: Config, log: Logger, flags: readonly string[]) {
    this.#config = config;
    this.#log = log;
    this.#flags = flags;
    // By default this process would accept and hand out: a client of a process that dies meanwhile
    // would wait forever. So the processes accept from shared sockets.
    cluster.schedulingPolicy = cluster.SCHED_NONE;
    cluster.setupPrimary({ exec: process.argv[1] ?? '' });
  }

  /**
   * Starts the first process alone: it migrates the database and recovers what a crash left. Then
   * the others. Returns the failure of the first.
   */
  async start(): Promise<FailedStart | undefined> {
    const failed = await this.#begin(1, true);
    if (failed) return failed;
    const numbers = Array.from({ length: this.#config.processes - 1 }, (_, index) => index + 2);
    await Promise.all(numbers.map((number) => this.#begin(number)));
    return undefined;
  }

  /** Asks all processes to leave as one does after a signal, and waits for their end. */
  async leave(): Promise<void> {
    this.isEnding = true;
    for (const timer of this.#timers) clearTimeout(timer);
    for (const worker of this.#running.values()) worker.process.kill('SIGTERM');
    while (this.#running.size > 0)
      await new Promise<void>((done) => {
        this.#changed = done;
      });
  }

  /** Like `leave`, within a time limit. A process that is leaving ends at once. */
  async end(): Promise<void> {
    const late = setTimeout(() => {
      for (const worker of this.#running.values()) worker.process.kill('SIGKILL');
    }, END_MILLISECONDS);
    await this.leave();
    clearTimeout(late);
  }

  /** Starts a process. Settles when it is ready, or has ended before. */
  #begin(number: number, isFirst = false): Promise<FailedStart | undefined> {
    return new Promise((settle) => {
      const began = performance.now();
      let reason: string | undefined;
      cluster.setupPrimary({ args: [...this.#flags, ...flagsOf({ number, isFirst })] });
      const worker = cluster.fork();
      this.#running.set(number, worker);
      worker.on('message', (message: Message) => {
        if (message.kind === 'counts')
          for (const [of, counts] of Object.entries(message.counts ?? {}))
            if (this.#ready.has(Number(of))) this.#counts.set(Number(of), counts);
        if (message.kind === 'ending') reason = String(message.reason).slice(0, MOST_REASON);
        if (message.kind !== 'ready') return;
        if (number === 1) this.lines = message.lines ?? [];
        this.#ready.add(number);
        this.#tell();
        settle(undefined);
      });
      // A message to a process that has just died.
      worker.on('error', () => undefined);
      worker.once('exit', (status, signal) => {
        this.#running.delete(number);
        this.#ready.delete(number);
        this.#carried = mergeFamilies([this.#carried, this.#counts.get(number) ?? []]);
        this.#counts.delete(number);
        this.#changed();
        settle({ status: status || 1, reason });
        if (this.isEnding || (isFirst && this.lines.length === 0)) return;
        this.#replace(
          number,
          began,
          `${signal ? `signal ${signal}` : `exit code ${status}`}${reason ? `: ${reason}` : ''}`,
        );
      });
    });
  }

  #replace(number: number, began: number, why: string): void {
    const isSteady = performance.now() - began > STEADY_MILLISECONDS;
    const failures = isSteady ? 1 : (this.#failures.get(number) ?? 0) + 1;
    this.#failures.set(number, failures);
    const wait = Math.min(FIRST_WAIT_MILLISECONDS * 2 ** (failures - 1), LONGEST_WAIT_MILLISECONDS);
    this.#restarts += 1;
    this.#log.fatal(
      { process: number, reason: why, failures, milliseconds: wait },
      'a process of the server ended unexpectedly and is replaced; its sessions have ended',
    );
    const previous = {
      kind: 'previous',
      date: new Date().toISOString(),
      reason: `process ${number}: ${why}`,
      restarts: this.#restarts,
    };
    this.#tell(previous);
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      void this.#begin(number).then((failed) => {
        if (!failed) this.#log.info({ process: number }, 'the process of the server is replaced');
        this.#tell(previous);
      });
    }, wait);
    this.#timers.add(timer);
  }

  /** Tells each process which others are missing, and the last unexpected end. */
  #tell(previous?: object): void {
    const all = Array.from({ length: this.#config.processes }, (_, index) => index + 1);
    const missing = all.filter((number) => !this.#ready.has(number));
    for (const worker of this.#running.values()) {
      if (!worker.isConnected()) continue;
      worker.send({
        kind: 'processes',
        missing,
        carried: this.#carried,
      } satisfies StateOfProcesses);
      if (previous) worker.send(previous);
    }
  }
}
