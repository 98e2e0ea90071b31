import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, createWriteStream, readdirSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { constants, createZstdDecompress } from 'node:zlib';

const ENDING = '.tar.zst';

/** Commits with a stored data folder. */
export const recordedCommits = (): readonly string[] =>
  readdirSync(import.meta.dirname)
    .filter((name) => name.endsWith(ENDING))
    .map((name) => name.slice(0, -ENDING.length));

/** Unpacks the data folder of a commit into a temporary folder, and returns its path. */
export async function unpackDataFolder(commit: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'sallyport-recorded-'));
  // The account of PostgreSQL needs access to the folder.
  await chmod(folder, 0o711);
  // tar stops reading at the end of the archive, before the end of a pipe.
  const archive = `${folder}.tar`;
  await pipeline(
    createReadStream(join(import.meta.dirname, `${commit}${ENDING}`)),
    createZstdDecompress({ params: { [constants.ZSTD_d_windowLogMax]: 27 } }),
    createWriteStream(archive),
  );
  const words = ['--extract', '--preserve-permissions', '--file', archive, '--directory', folder];
  const [code] = await once(
    spawn('tar', words, { stdio: ['ignore', 'ignore', 'inherit'] }),
    'exit',
  );
  await rm(archive);
  if (code !== 0) throw new Error(`tar ended with ${code}`);
  return folder;
}
