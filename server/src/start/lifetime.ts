import cluster from 'node:cluster';
import { DatabaseClosed } from '../platform/db/connection.ts';
import type { Logger } from '../platform/log.ts';
import { listenToSupervisor, reportEnd } from '../platform/process/supervisor.ts';

/**
 * Maximum seconds to end sessions, finish recordings and stop the database before the process exits
 * anyway.
 */
const STOP_SECONDS = 20;

/**
 * Stops the process cleanly, once: after a signal, an unhandled error, or the loss of the database.
 */
export interface Lifetime {
  /** Stops after a failure; the exit status requests a restart. */
  fail(reason: string): void;
  /** Returns true after a signal or a failure: a start that fails then fails because of it. */
  isStopping(): boolean;
  /** Adds work to wait for after a signal, before stopping; a second signal ends the waiting. */
  onLeave(wait: () => Promise<unknown>): void;
  /**
   * Adds work to wait for when processes of an upgrade have taken over, before stopping; a signal
   * ends the waiting.
   */
  onReplaced(wait: () => Promise<unknown>): void;
  /**
   * Adds a step before the process exits; newest first. A step added while stopping runs at once.
   */
  onStop(step: () => Promise<unknown>): void;
}

/** Handles signals and unhandled errors. */
export function createLifetime(log: Logger): Lifetime {
  const steps: (() => Promise<unknown>)[] = [];
  const waits: (() => Promise<unknown>)[] = [];
  const drains: (() => Promise<unknown>)[] = [];
  let isLeaving = false;
  let isStopping = false;
  const runSteps = async () => {
    for (let step = steps.pop(); step; step = steps.pop())
      await step().catch((error: unknown) =>
        log.error({ error: String(error) }, 'stopping: a step failed'),
      );
  };
  const stop = (status: number) => {
    if (isStopping) return;
    isStopping = true;
    setTimeout(() => {
      log.fatal(
        { seconds: STOP_SECONDS },
        'something did not stop in time; the process ends without it',
      );
      process.exit(1);
    }, STOP_SECONDS * 1_000).unref();
    void runSteps().then(() => {
      log.info('stopped');
      process.exit(status);
    });
  };
  const fail = (reason: string, detail: object = { reason }) => {
    log.fatal(
      detail,
      isStopping
        ? 'an error while stopping'
        : 'stopping because of an error: sessions are ended, recordings finished',
    );
    if (!isStopping) reportEnd(reason);
    stop(1);
  };
  const onError = (error: unknown) =>
    fail(error instanceof Error ? `${error.name}: ${error.message}` : String(error), {
      error: error instanceof Error ? error.stack : String(error),
    });
  process.on('uncaughtException', onError);
  process.on('unhandledRejection', onError);
  const waitFor = async (steps: readonly (() => Promise<unknown>)[]) => {
    for (const wait of steps)
      await wait().catch((error: unknown) =>
        log.error({ error: String(error) }, 'stopping: a step failed'),
      );
  };
  const leave = async (signal: string) => {
    isLeaving = true;
    log.info({ signal }, 'stopping: nobody new is accepted');
    await waitFor(waits);
    if (!isStopping) log.info('stopping: sessions are ended, recordings finished');
    stop(0);
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.on(signal, () => (isLeaving ? stop(0) : void leave(signal)));
  if (cluster.worker) {
    // A terminal's Ctrl-C reaches every process; the first one passes it on as SIGTERM.
    process.removeAllListeners('SIGINT').on('SIGINT', () => undefined);
    // Otherwise Node ends the process at once when the first one has ended.
    cluster.worker.exitedAfterDisconnect = true;
  }
  const drain = async () => {
    log.info('an upgrade has replaced this process: it keeps its sessions until they end');
    await waitFor(drains);
    if (!isLeaving) stop(0);
  };
  listenToSupervisor(
    () => {
      if (!isStopping) log.warn('the process that started the server is gone: stopping');
      stop(0);
    },
    () => void drain(),
  );
  return {
    fail: (reason) => fail(reason),
    isStopping: () => isStopping,
    onLeave: (wait) => void waits.push(wait),
    onReplaced: (wait) => void drains.push(wait),
    onStop: (step) => {
      steps.push(step);
      if (isStopping) void runSteps();
    },
  };
}

/** Cleanup steps for a stop or a failed start. */
export interface Undo {
  /** Adds a step; the newest runs first. */
  add(step: () => unknown): void;
  /** Runs all steps once, newest first. Logs failed steps and continues. */
  run(): Promise<void>;
}

export function createUndo(log: Logger): Undo {
  const steps: (() => unknown)[] = [];
  return {
    add: (step) => void steps.push(step),
    async run() {
      for (let step = steps.pop(); step; step = steps.pop()) {
        try {
          await step();
        } catch (error) {
          // A stop during the start closes the database before the last steps are added.
          if (!(error instanceof DatabaseClosed))
            log.error({ error: String(error) }, 'stopping: a step failed');
        }
      }
    },
  };
}
