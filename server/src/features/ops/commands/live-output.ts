import { MOST_KEPT_OUTPUT } from '@sallyport/contract';
import type { Logger } from '../../../platform/log.ts';
import type { PartialOutput } from './store.ts';

/** Minimum pause between writes. */
const PAUSE_MILLISECONDS = 400;
/** Rate limit of a run, for all hosts together. */
const CHARACTERS_PER_SECOND = 256 * 1024;

interface Output {
  stdout: string;
  stderr: string;
}

/** Output of hosts while a command runs. */
export interface LiveOutput {
  /** Starts the output of a host. */
  begin(assetId: string): void;
  add(assetId: string, text: string, isError: boolean): void;
  /** Removes a host and returns its output. */
  take(assetId: string): Readonly<Output>;
  /** Waits for the last write. */
  end(): Promise<void>;
}

/**
 * Buffers output and writes it periodically, all changed hosts in one statement. Output beyond the
 * stored maximum is dropped.
 */
export function createLiveOutput(
  write: (hosts: readonly PartialOutput[]) => Promise<void>,
  log: Logger,
): LiveOutput {
  const hosts = new Map<string, Output>();
  const changed = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();
  let pause = PAUSE_MILLISECONDS;

  const flush = async (): Promise<void> => {
    const batch = [...changed].flatMap((assetId) => {
      const output = hosts.get(assetId);
      return output ? [{ assetId, ...output }] : [];
    });
    changed.clear();
    if (batch.length === 0) return;
    const characters = batch.reduce(
      (sum, { stdout, stderr }) => sum + stdout.length + stderr.length,
      0,
    );
    pause = PAUSE_MILLISECONDS + (characters / CHARACTERS_PER_SECOND) * 1_000;
    // A failed write only delays the output: the outcome stores all of it.
    await write(batch).catch((error: unknown) =>
      log.warn({ error: String(error) }, 'could not write the partial output of a batch command'),
    );
  };
  const scheduleFlush = (assetId: string) => {
    changed.add(assetId);
    timer ??= setTimeout(() => {
      writing = flush().finally(() => {
        timer = undefined;
        for (const left of changed) scheduleFlush(left);
      });
    }, pause);
  };

  return {
    begin(assetId) {
      hosts.set(assetId, { stdout: '', stderr: '' });
      scheduleFlush(assetId);
    },
    add(assetId, text, isError) {
      const output = hosts.get(assetId);
      const stream = isError ? 'stderr' : 'stdout';
      if (!output || output[stream].length > MOST_KEPT_OUTPUT) return;
      output[stream] += text.slice(0, MOST_KEPT_OUTPUT + 1 - output[stream].length);
      scheduleFlush(assetId);
    },
    take(assetId) {
      const output = hosts.get(assetId) ?? { stdout: '', stderr: '' };
      hosts.delete(assetId);
      changed.delete(assetId);
      return output;
    },
    async end() {
      clearTimeout(timer);
      hosts.clear();
      changed.clear();
      await writing;
    },
  };
}
