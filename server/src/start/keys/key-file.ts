import { randomBytes } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { open, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type Config, StartError } from '../../config.ts';
import { keyFileOf, type MasterKey, readMasterKeys } from '../../platform/crypto/master-key.ts';
import { syncFolder } from '../../platform/storage/files.ts';

/**
 * Replaces the key file atomically, with its owner and mode.
 * @throws StartError if it cannot be written; it is then unchanged
 */
async function writeKeyFile(config: Config, keys: readonly Buffer[]): Promise<void> {
  const file = realpathSync(keyFileOf(config));
  const next = `${file}.${randomBytes(6).toString('hex')}.new`;
  try {
    const { uid, gid } = await stat(file);
    const handle = await open(next, 'wx', 0o600);
    try {
      await handle.chown(uid, gid);
      await handle.writeFile(`${keys.map((key) => key.toString('hex')).join('\n')}\n`);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(next, file);
    await syncFolder(dirname(file));
  } catch (error) {
    await rm(next, { force: true }).catch(() => undefined);
    throw new StartError(
      `${file} cannot be written (${(error as NodeJS.ErrnoException).code}). Make the new key yourself: put the output of "openssl rand -hex 32" above the present line of that file, then run the command again.`,
    );
  }
}

/** Returns the bytes of master keys. Keys that never leave their service are left out. */
const bytesOf = (masters: readonly MasterKey[]) =>
  masters.flatMap(({ bytes }) => (bytes ? [bytes] : []));

/** Writes a new master key above the others. Returns all of them. */
export async function addMasterKey(config: Config): Promise<readonly MasterKey[]> {
  await writeKeyFile(config, [randomBytes(32), ...bytesOf(await readMasterKeys(config))]);
  return readMasterKeys(config);
}

/** Removes all master keys below the first. Returns the ids of the removed ones. */
export async function dropOldMasterKeys(config: Config): Promise<readonly string[]> {
  const [newest, ...old] = await readMasterKeys(config);
  if (!newest || old.length === 0) return [];
  await writeKeyFile(config, bytesOf([newest]));
  return old.map(({ id }) => id);
}
