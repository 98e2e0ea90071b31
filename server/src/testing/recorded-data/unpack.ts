import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, readdirSync } from 'node:fs';
import { chmod, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { constants, createZstdDecompress } from 'node:zlib';

const ENDING = '.tar.zst';

/** The commits whose data folders are kept. */
export const recordedCommits = (): readonly string[] =>
  readdirSync(import.meta.dirname)
    .filter((name) => name.endsWith(ENDING))
    .map((name) => name.slice(0, -ENDING.length));

/** Unpacks the data folder of a commit into a new temporary folder, and returns its path. */
export async function unpackDataFolder(commit: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'sallyport-recorded-'));
  // The account of PostgreSQL must be able to pass.
  await chmod(folder, 0o711);
  const words = ['--extract', '--preserve-permissions', '--file', '-', '--directory', folder];
  const tar = spawn('tar', words, { stdio: ['pipe', 'ignore', 'inherit'] });
  const ended = once(tar, 'exit');
  await pipeline(
    createReadStream(join(import.meta.dirname, `${commit}${ENDING}`)),
    createZstdDecompress({ params: { [constants.ZSTD_d_windowLogMax]: 27 } }),
    tar.stdin,
  );
  const [code] = await ended;
  if (code !== 0) throw new Error(`tar ended with ${code}`);
  return folder;
}
