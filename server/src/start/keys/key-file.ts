import { randomBytes } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { open, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type Config, StartError } from '../../config.ts';
import {
  keyFileOf,
  keyPlaceOf,
  type MasterKey,
  readMasterKeys,
} from '../../platform/crypto/master-key.ts';
import { rotateTransitKey } from '../../platform/crypto/transit.ts';
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

/**
 * Adds a new master key: the next version in a service, or a key above the others in a file.
 * Returns all of them.
 * @throws StartError if the place cannot be changed from here
 */
export async function addMasterKey(config: Config): Promise<readonly MasterKey[]> {
  if (config.transit) await rotateTransitKey(config.transit);
  else if (config.secretKeyCommand)
    throw new StartError(
      `The key in ${keyPlaceOf(config)} is in use. Let the command print a new key (openssl rand -hex 32) above it, then run this again.`,
    );
  else await writeKeyFile(config, [randomBytes(32), ...bytesOf(await readMasterKeys(config))]);
  return readMasterKeys(config);
}

/**
 * Removes the master keys that wrap nothing any more, where the server keeps them. Returns a
 * sentence for the operator if some key is left or was removed.
 */
export async function dropOldMasterKeys(config: Config): Promise<string | undefined> {
  const [newest, ...old] = (await readMasterKeys(config)).filter(
    ({ bytes }, index) => bytes !== undefined || index === 0,
  );
  if (!newest || old.length === 0) return undefined;
  const ids = old.map(({ id }) => id).join(', ');
  if (config.secretKey)
    return `remove ${ids}, the value of SALLYPORT_SECRET_KEY, from the environment of every server.`;
  if (config.secretKeyCommand)
    return config.transit
      ? `${ids} is not needed any more: remove SALLYPORT_SECRET_KEY_COMMAND from every server.`
      : `let the command print only the new one, ${newest.id}.`;
  const file = keyFileOf(config);
  if (!config.transit) await writeKeyFile(config, bytesOf([newest]));
  else if (
    !(await rm(file).then(
      () => true,
      () => false,
    ))
  )
    return `${file} cannot be removed. Remove it yourself, also on the other servers.`;
  return `${ids} was removed from ${file}. ${config.transit ? 'Remove it on the other servers, too' : 'Copy the file to the other servers again'}, and keep the old key as long as backups of its time.`;
}
