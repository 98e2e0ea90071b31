import cluster, { type Worker } from 'node:cluster';
import { type Config, flagsOf, MAX_GENERATIONS } from '../config.ts';
import type { Logger } from '../platform/log.ts';
import { mergeFamilies } from '../platform/metrics/merge-families.ts';
import type { Family } from '../platform/metrics/open-metrics.ts';
import type { StateOfProcesses } from '../platform/process/supervisor.ts';
import { earlierVersionsInUse } from './earlier-versions.ts';
import { checkProgram, forkProgram, type ProgramFiles, runningProgram } from './program-files.ts';

/** Pauses before a dead process is replaced: doubled for each failure until one ran for a while. */
const FIRST_WAIT_MILLISECONDS = 1_000;
const LONGEST_WAIT_MILLISECONDS = 60_000;
const STEADY_MILLISECONDS = 5 * 60_000;
/** Time of a process to end after a failure of another part, before it is killed. */
const END_MILLISECONDS = 15_000;
/** Time of the processes of an upgrade to start: the first one migrates the database. */
const START_MILLISECONDS = 10 * 60_000;
/** Time after an upgrade in which sessions of the replaced processes may end. */
const DRAIN_MILLISECONDS = 24 * 60 * 60_000;
/** Attempts to recover what a replaced process left when it died. */
const RECOVERY_ATTEMPTS = 5;
const MOST_REASON = 500;

/** A process that ended before it was ever ready. */
interface FailedStart {
  readonly status: number;
  readonly reason: string | undefined;
}

/** A report of a process (`platform/process/counts.ts`). Versions of the program exchange it. */
interface Message {
  readonly kind?: unknown;
  readonly reason?: unknown;
  readonly lines?: readonly string[];
  readonly counts?: Readonly<Record<string, readonly Family[]>>;
}

/** The processes that run one version of the program. */
interface Generation {
  readonly program: ProgramFiles;
  /** Numbers of its processes. The first one does the work that a server needs once. */
  readonly numbers: readonly number[];
  /** Numbers of the processes that have not ended properly. */
  readonly left: Set<number>;
  /** True once its first process was ready: processes that die are replaced from then on. */
  hasStarted: boolean;
  /** The time at which its sessions are ended, once an upgrade has replaced it. */
  endsAt: Date | undefined;
}

/** The processes of a server, by their number. */
export class Processes {
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
  #current: Generation;
  /** The processes of an upgrade that is starting. */
  #next: Generation | undefined;
  /** Generations that upgrades have replaced and that still have sessions, oldest first. */
  #draining: readonly Generation[] = [];
  /** Lines of the first process for the operator. */
  lines: readonly string[] = [];
  isEnding = false;

  constructor(config: Config, log: Logger, flags: readonly string[]) {
    this.#config = config;
    this.#log = log;
    this.#flags = flags;
    this.#current = this.#generation(0, runningProgram());
    // By default this process would accept and hand out: a client of a process that dies meanwhile
    // would wait forever. So the processes accept from shared sockets.
    cluster.schedulingPolicy = cluster.SCHED_NONE;
  }

  /** Returns the failure of the first process. */
  start(): Promise<FailedStart | undefined> {
    return this.#launch(this.#current, true);
  }

  /**
   * Starts processes of the program in the folder `to`, by default the running one, which may have
   * been replaced. When they are ready, the old ones accept no more connections and end with their
   * last session. Returns the reason of a failure: the old processes then continue.
   */
  async upgrade(to: string | undefined): Promise<string | undefined> {
    if (this.isEnding) return 'The server is stopping.';
    if (this.#next) return 'Another upgrade is starting. Wait for its end.';
    const program = to === undefined ? this.#current.program : checkProgram(to);
    if (typeof program === 'string') return program;
    const taken = [this.#current, ...this.#draining].flatMap(({ numbers }) => numbers);
    const block = Array.from({ length: MAX_GENERATIONS }, (_, index) => index).find(
      (index) => !taken.includes(index * this.#config.processes + 1),
    );
    if (block === undefined)
      return earlierVersionsInUse(this.#draining.map(({ endsAt }) => endsAt));
    const next = this.#generation(block, program);
    this.#next = next;
    const late = setTimeout(() => this.#giveUp(next), START_MILLISECONDS);
    try {
      this.#log.info({ program: program.main }, 'an upgrade starts new processes');
      const failed = await this.#launch(next);
      if (this.isEnding) return 'The server is stopping.';
      if (failed)
        return `The new program did not start, and the old one continues: ${failed.reason ?? `exit code ${failed.status}; the log has its message`}`;
      this.#replaceCurrent(next);
      return undefined;
    } finally {
      clearTimeout(late);
      this.#next = undefined;
    }
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

  #generation(block: number, program: ProgramFiles): Generation {
    const { processes } = this.#config;
    const numbers = Array.from({ length: processes }, (_, index) => block * processes + index + 1);
    return { program, numbers, left: new Set(numbers), hasStarted: false, endsAt: undefined };
  }

  /**
   * Starts the first process alone: it migrates the database, and at the start of the server
   * recovers what a crash left. Then the others. Returns the failure of the first.
   */
  async #launch(generation: Generation, isFirst = false): Promise<FailedStart | undefined> {
    const [first = 1, ...others] = generation.numbers;
    const failed = await this.#begin(first, generation, isFirst);
    if (failed || this.isEnding) return failed;
    generation.hasStarted = true;
    await Promise.all(others.map((number) => this.#begin(number, generation)));
    return undefined;
  }

  /** Lets the processes of an upgrade take over. */
  #replaceCurrent(next: Generation): void {
    const replaced = this.#current;
    replaced.endsAt = new Date(Date.now() + DRAIN_MILLISECONDS);
    this.#current = next;
    this.#draining = [...this.#draining, replaced];
    for (const number of replaced.numbers) this.#send(number, { kind: 'drain' });
    this.#tell();
    this.#log.info(
      { program: next.program.main },
      'the upgrade is complete: the replaced processes keep their sessions until they end',
    );
    this.#after(DRAIN_MILLISECONDS, () => {
      for (const number of replaced.left) this.#running.get(number)?.process.kill('SIGTERM');
    });
  }

  /** Starts a process. Settles when it is ready, or has ended before. */
  #begin(
    number: number,
    generation: Generation,
    isFirst = false,
  ): Promise<FailedStart | undefined> {
    return new Promise((settle) => {
      const began = performance.now();
      let reason: string | undefined;
      const words = [...this.#flags, ...flagsOf({ number, isFirst })];
      const worker = forkProgram(generation.program, words, this.#config.processes);
      this.#running.set(number, worker);
      worker.on('message', (message: Message) => {
        if (message.kind === 'counts')
          for (const [of, counts] of Object.entries(message.counts ?? {}))
            if (this.#ready.has(Number(of))) this.#counts.set(Number(of), counts);
        if (message.kind === 'ending') reason = String(message.reason).slice(0, MOST_REASON);
        if (message.kind !== 'ready') return;
        if (isFirst) this.lines = message.lines ?? [];
        this.#ready.add(number);
        this.#tell();
        // It has recovered what its predecessor left.
        if (this.#draining.includes(generation)) this.#send(number, { kind: 'drain' });
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
        if (this.isEnding || !generation.hasStarted) return;
        if (this.#draining.includes(generation) && status === 0) this.#drained(number, generation);
        else
          this.#replace(number, generation, {
            isSteady: performance.now() - began > STEADY_MILLISECONDS,
            why: `${signal ? `signal ${signal}` : `exit code ${status}`}${reason ? `: ${reason}` : ''}`,
          });
      });
    });
  }

  /** Kills the processes that are not ready. */
  #giveUp({ left }: Generation): void {
    for (const number of left)
      if (!this.#ready.has(number)) this.#running.get(number)?.process.kill('SIGKILL');
  }

  #drained(number: number, generation: Generation): void {
    generation.left.delete(number);
    this.#failures.delete(number);
    if (generation.left.size === 0) {
      this.#draining = this.#draining.filter((one) => one !== generation);
      this.#log.info('the processes that an upgrade replaced have ended');
    }
    this.#tell();
  }

  #replace(
    number: number,
    generation: Generation,
    { isSteady, why }: { readonly isSteady: boolean; readonly why: string },
  ): void {
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
    if (this.#draining.includes(generation) && failures > RECOVERY_ATTEMPTS) {
      this.#drained(number, generation);
      return;
    }
    this.#after(wait, () => {
      void this.#begin(number, generation).then((failed) => {
        if (!failed) this.#log.info({ process: number }, 'the process of the server is replaced');
        this.#tell(previous);
      });
    });
  }

  #after(milliseconds: number, run: () => void): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      run();
    }, milliseconds);
    this.#timers.add(timer);
  }

  #send(number: number, message: object): void {
    const worker = this.#running.get(number);
    if (worker?.isConnected()) worker.send(message);
  }

  /** Tells each process which others are missing, and the last unexpected end. */
  #tell(previous?: object): void {
    const draining = this.#draining.flatMap(({ left }) => [...left]);
    for (const generation of [...this.#draining, this.#current, this.#next]) {
      const missing = generation?.numbers.filter((number) => !this.#ready.has(number)) ?? [];
      for (const number of generation?.numbers ?? []) {
        this.#send(number, {
          kind: 'processes',
          missing,
          draining,
          carried: this.#carried,
        } satisfies StateOfProcesses);
        if (previous) this.#send(number, previous);
      }
    }
  }
}
