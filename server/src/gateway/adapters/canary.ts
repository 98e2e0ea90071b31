import type { LocalText } from '@sallyport/contract';
import { earlierCanaries, removeCanaries } from '../../features/sessions/index.ts';
import type { Db } from '../../platform/db/database.ts';
import type { Logger } from '../../platform/log.ts';
import type { Recordings } from '../../platform/storage/recordings.ts';
import type { Hub } from '../hub.ts';
import type { SessionStore } from '../ports/records.ts';
import type { GatewayPorts } from '../ports.ts';

/** Maximum number of self-test sessions that are kept for inspection. */
const KEPT = 10;

interface CanaryOptions {
  readonly db: Db;
  readonly log: Logger;
  readonly recordings: Recordings;
  readonly ports: GatewayPorts;
  readonly hub: Hub;
  /** Marks its rows as self-tests. */
  readonly sessions: SessionStore;
  /** Id of this server. */
  readonly holder: string;
  /** Interval in minutes; 0 switches the self-test off. */
  readonly minutes: () => number;
  readonly report: (
    result:
      | {
          readonly date: Date;
          readonly milliseconds: number;
          readonly problem: LocalText | undefined;
        }
      | undefined,
  ) => Promise<void>;
}

/** The self-test of this server. */
export interface Canary {
  /** Runs the self-test if it is due. */
  readonly tick: () => Promise<void>;
  /** Returns the last result; undefined before the first run. */
  readonly isWell: () => boolean | undefined;
}

/** Creates the self-test of this server; it runs with the first `tick`. */
export function createCanary({
  db,
  log,
  recordings,
  ports,
  hub,
  sessions,
  holder,
  minutes,
  report,
}: CanaryOptions): Canary {
  let last: number | undefined;
  let isWell: boolean | undefined;
  let isOff = false;
  let isRunning = false;

  const removeEarlier = async () => {
    const earlier = await earlierCanaries(db, holder, KEPT);
    for (const session of earlier) await recordings.remove(session);
    if (earlier.length > 0)
      await removeCanaries(
        db,
        earlier.map(({ id }) => id),
      );
  };

  const run = async () => {
    // Loaded with the first run: most installations never need the target and the recording reader.
    const [{ runCanary }, { failureInWords }] = await Promise.all([
      import('../canary/run-canary.ts'),
      import('../canary/words.ts'),
    ]);
    const result = await runCanary({ ports, hub, recordings, sessions });
    const problem = failureInWords(result);
    // An administrator switched the self-test off during the run.
    if (minutes() === 0) return;
    if (problem)
      log.error(
        { problem: problem.en, session: result.session },
        'the self-test of this server failed',
      );
    else if (isWell === false)
      log.info(
        { milliseconds: result.milliseconds },
        'the self-test of this server succeeds again',
      );
    isWell = problem === undefined;
    await report({ date: result.date, milliseconds: result.milliseconds, problem });
    await removeEarlier();
  };

  return {
    isWell: () => (minutes() > 0 ? isWell : undefined),
    async tick() {
      const every = minutes() * 60_000;
      if (every === 0) {
        last = isWell = undefined;
        // Clear the stale result once.
        if (!isOff) await report(undefined);
        isOff = true;
        return;
      }
      isOff = false;
      if (
        isRunning ||
        ports.isAccepting?.() === false ||
        (last !== undefined && performance.now() - last < every)
      )
        return;
      last = performance.now();
      isRunning = true;
      await run().finally(() => {
        isRunning = false;
      });
    },
  };
}
