import { DatabaseClosed } from '../platform/db/connection.ts';
import type { Logger } from '../platform/log.ts';

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
