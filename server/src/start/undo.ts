import type { Logger } from '../platform/log.ts';

/** What has to be done to stop, or to leave nothing behind after a start that failed. */
export interface Undo {
  /** Adds a step; the newest one runs first. */
  add(step: () => unknown): void;
  /** Runs every step once, newest first; a step that fails is logged and the others still run. */
  run(): Promise<void>;
}

/** An empty list of steps. */
export function createUndo(log: Logger): Undo {
  const steps: (() => unknown)[] = [];
  return {
    add: (step) => void steps.push(step),
    async run() {
      for (let step = steps.pop(); step; step = steps.pop()) {
        try {
          await step();
        } catch (error) {
          log.error({ error: String(error) }, 'stopping: a step failed');
        }
      }
    },
  };
}
