import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setPriority } from 'node:os';
import { join } from 'node:path';

/** Lower than the measured server and the client whose latency counts. */
const NICENESS = 15;

/** A part of a measure in a separate process, so that its CPU and memory are not counted. */
export interface PartProcess<Answer> {
  readonly answer: Answer;
  stop(): Promise<void>;
}

/**
 * Starts a file of `bench/lib` with options and waits for its answer. The file calls `runPart`.
 * The process runs with a low priority. @throws Error if the process ends before it answers
 */
export async function startPart<Answer>(
  file: string,
  options: unknown,
): Promise<PartProcess<Answer>> {
  const child = fork(join(import.meta.dirname, file), { serialization: 'advanced' });
  const ended = once(child, 'exit');
  if (child.pid !== undefined) setPriority(child.pid, NICENESS);
  child.send({ options });
  const [answer] = (await Promise.race([
    once(child, 'message'),
    ended.then(() => {
      throw new Error(`${file} ended before it answered`);
    }),
  ])) as [Answer];
  return {
    answer,
    async stop() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/** Runs in the process of a part: answers the options of `startPart`. */
export function runPart<Options, Answer>(work: (options: Options) => Promise<Answer>): void {
  process.once('disconnect', () => process.exit());
  process.once('message', async (message) => {
    const { options } = message as { readonly options: Options };
    process.send?.(await work(options));
  });
}
