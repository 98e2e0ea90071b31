import type { LocalText } from '@sallyport/contract';
import { earlierCanaries, removeCanaries } from '../../features/terminal/store.ts';
import type { Db } from '../../platform/db/database.ts';
import type { Logger } from '../../platform/log.ts';
import type { Recordings } from '../../platform/storage/recordings.ts';
import type { Hub } from '../hub.ts';
import type { SessionStore } from '../ports/records.ts';
import type { GatewayPorts } from '../ports.ts';

/** Sessions of the canary that stay, to be looked at. */
const KEPT = 10;

interface CanaryOptions {
  readonly db: Db;
  readonly log: Logger;
  readonly recordings: Recordings;
  readonly ports: GatewayPorts;
  readonly hub: Hub;
  /** Writes rows that are marked. */
  readonly sessions: SessionStore;
  /** This server. */
  readonly holder: string;
  /** How often; 0: never. */
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

/** The self-test of this server: `tick` runs it when it is due, `isWell` says what became of the last one; undefined when there was none. */
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
}: CanaryOptions): {
  readonly tick: () => Promise<void>;
  readonly isWell: () => boolean | undefined;
} {
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
    // Loaded with the first run: most installations need neither the target nor the reader at their start.
    const [{ runCanary }, { failureInWords }] = await Promise.all([
      import('../canary/run-canary.ts'),
      import('../canary/words.ts'),
    ]);
    const result = await runCanary({ ports, hub, recordings, sessions });
    const problem = failureInWords(result);
    // Switched off meanwhile.
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
        // What was found before says nothing any more; once is enough.
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
