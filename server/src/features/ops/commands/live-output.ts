import { MOST_KEPT_OUTPUT } from '@sallyport/contract';
import type { Logger } from '../../../platform/log.ts';
import type { PartialOutput } from './store.ts';

/** Between two writings, at the least. */
const PAUSE_MILLISECONDS = 400;
/** A run writes no more characters than about this many in a second, however many hosts print. */
const CHARACTERS_PER_SECOND = 256 * 1024;

interface Heard {
  stdout: string;
  stderr: string;
}

/** What hosts printed so far, while the command runs there. */
export interface LiveOutput {
  /** The command begins on a host. */
  begin(assetId: string): void;
  add(assetId: string, text: string, isError: boolean): void;
  /** The host is over: what it printed until then. It is not written any more. */
  take(assetId: string): Readonly<Heard>;
  /** Waits for the last writing. */
  end(): Promise<void>;
}

/**
 * Gathers what hosts print and writes it now and then, those that printed something in one
 * statement. Each host has room for what is kept of it in the end; what comes beyond is dropped
 * here.
 */
export function createLiveOutput(
  write: (hosts: readonly PartialOutput[]) => Promise<void>,
  log: Logger,
): LiveOutput {
  const hosts = new Map<string, Heard>();
  const changed = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();
  let pause = PAUSE_MILLISECONDS;

  const flush = async (): Promise<void> => {
    const batch = [...changed].flatMap((assetId) => {
      const heard = hosts.get(assetId);
      return heard ? [{ assetId, ...heard }] : [];
    });
    changed.clear();
    if (batch.length === 0) return;
    const characters = batch.reduce(
      (sum, { stdout, stderr }) => sum + stdout.length + stderr.length,
      0,
    );
    pause = PAUSE_MILLISECONDS + (characters / CHARACTERS_PER_SECOND) * 1_000;
    // The whole comes at the end: without this the output is only seen later.
    await write(batch).catch((error: unknown) =>
      log.warn(
        { error: String(error) },
        'the output of a batch command could not be written while it runs',
      ),
    );
  };
  const soon = (assetId: string) => {
    changed.add(assetId);
    timer ??= setTimeout(() => {
      writing = flush().finally(() => {
        timer = undefined;
        for (const left of changed) soon(left);
      });
    }, pause);
  };

  return {
    begin(assetId) {
      hosts.set(assetId, { stdout: '', stderr: '' });
      soon(assetId);
    },
    add(assetId, text, isError) {
      const heard = hosts.get(assetId);
      const stream = isError ? 'stderr' : 'stdout';
      if (!heard || heard[stream].length > MOST_KEPT_OUTPUT) return;
      heard[stream] += text.slice(0, MOST_KEPT_OUTPUT + 1 - heard[stream].length);
      soon(assetId);
    },
    take(assetId) {
      const heard = hosts.get(assetId) ?? { stdout: '', stderr: '' };
      hosts.delete(assetId);
      changed.delete(assetId);
      return heard;
    },
    async end() {
      clearTimeout(timer);
      hosts.clear();
      changed.clear();
      await writing;
    },
  };
}
