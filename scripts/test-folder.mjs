import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A file system in memory. */
const MEMORY = '/dev/shm';
/** Several times what the tests need at most. */
const ROOM_BYTES = 4 * 1024 ** 3;

/** Returns true if memory suffices for the files and for the tests. */
function hasRoom() {
  if (process.platform !== 'linux' || !existsSync(MEMORY)) return false;
  const { bavail, bsize } = statfsSync(MEMORY);
  return bavail * bsize >= ROOM_BYTES && process.availableMemory() >= 2 * ROOM_BYTES;
}

/** Containers may mount it so that nothing in it can be run, and tests run scripts. */
function canRun(folder) {
  const script = join(folder, 'probe');
  writeFileSync(script, '#!/bin/sh\nexit 0\n', { mode: 0o700 });
  const { status } = spawnSync(script);
  rmSync(script);
  return status === 0;
}

/** Removes what a run left that was killed. Those of other accounts stay. */
function removeLeftovers() {
  for (const name of readdirSync(MEMORY)) {
    const [, owner] = /^sallyport-(\d+)-/.exec(name) ?? [];
    if (!owner || existsSync(`/proc/${owner}`)) continue;
    try {
      rmSync(join(MEMORY, name), { recursive: true, force: true });
    } catch (error) {
      if (!['EACCES', 'EPERM'].includes(error.code)) throw error;
    }
  }
}

/**
 * Lets this process and its children keep temporary files in memory while it runs. Each file of
 * tests has a database, some thousand small files: to make and remove them on a disk takes more of
 * the processors than most tests. A TMPDIR that is set already stays.
 */
export function keepTemporaryFilesInMemory() {
  if (process.env.TMPDIR !== undefined || !hasRoom()) return;
  removeLeftovers();
  const folder = mkdtempSync(join(MEMORY, `sallyport-${process.pid}-`));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  // As the folder for temporary files is everywhere: for all accounts, each of them its own.
  chmodSync(folder, 0o1777);
  // Developers look at pictures of failed tests after the run.
  process.env.SALLYPORT_TEST_PICTURES ??= tmpdir();
  if (canRun(folder)) process.env.TMPDIR = folder;
}
