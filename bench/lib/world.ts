import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { ADMIN_PASSWORD } from '../generate/sizes.ts';
import { generate } from '../generate.ts';
import { type BenchServer, startServer } from './server.ts';

/** Linux keeps its files in memory. */
const MEMORY = '/dev/shm';

/**
 * Shared by the measures: folders that are deleted at the end, and one server with the big
 * installation, started at its first use.
 */
export interface World {
  readonly say: (line: string) => void;
  /** Measures that watch something over time take their full time. */
  readonly isLong: boolean;
  /** A part of the name of the stages to run, in measures that have stages; empty for all. */
  readonly stage: string;
  /** Built checkout of an earlier version, which `openings` measures in the same run. */
  readonly before: string | undefined;
  /** Folder of installations that were filled before, and are kept. */
  readonly bigFolder: string | undefined;
  /** A new empty folder that the database's account can reach, on the disk or in memory. */
  folder(isInMemory?: boolean): string;
  bigServer(): Promise<BenchServer>;
  end(): Promise<void>;
}

/**
 * Prepares the shared things. With `bigFolder` a folder that was filled before is used, and kept.
 */
export function createWorld(
  say: (line: string) => void,
  {
    bigFolder,
    isLong = false,
    stage = '',
    before,
  }: {
    readonly bigFolder: string | undefined;
    readonly isLong: boolean | undefined;
    readonly stage: string | undefined;
    readonly before: string | undefined;
  },
): World {
  const folders: string[] = [];
  let big: Promise<BenchServer> | undefined;
  const folder = (isInMemory = false) => {
    const path = mkdtempSync(join(isInMemory ? MEMORY : tmpdir(), 'sallyport-bench-'));
    chmodSync(path, 0o711);
    folders.push(path);
    return path;
  };
  const startBig = async () => {
    const directory = bigFolder ? resolve(bigFolder) : folder();
    await generate(directory, (line) => say(`  ${line}`));
    return startServer(directory, ADMIN_PASSWORD, { watchesLoop: true });
  };
  return {
    say,
    isLong,
    stage,
    before: before && resolve(before),
    bigFolder,
    folder,
    bigServer() {
      big ??= startBig();
      return big;
    },
    async end() {
      await big?.then((server) => server.stop()).catch(() => undefined);
      for (const path of folders) rmSync(path, { recursive: true, force: true });
    },
  };
}
