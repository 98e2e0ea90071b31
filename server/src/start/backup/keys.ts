import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { posixPath } from '@sallyport/contract';
import { type Config, StartError } from '../../config.ts';
import type { MasterKey } from '../../platform/crypto/master-key.ts';
import { assertPrivateFile } from '../../platform/private-file.ts';

/** The keys of an installation. With a backup they decrypt every stored secret. */
export interface BackupKeys {
  readonly secretKey: string;
  /** Secret keys before a rotation that had not ended. */
  readonly earlierKeys: readonly string[];
  /** The private key for licenses that this installation issues. */
  readonly licenseKey: string | null;
}

const FORMAT = 'sallyport-keys';
const LICENSE_KEY = 'license.key';
const KEY = /^[0-9a-f]{64}$/i;

/**
 * Rejects a place for keys inside of the backup, in a folder that others can read, or with an
 * existing file. @throws StartError
 */
export function assertKeysPlace(file: string, backup: string): void {
  const folder = dirname(resolve(file));
  if (existsSync(file))
    throw new StartError(
      `${file} is there already, and keys are never written over. Name another file.`,
    );
  let real: string;
  try {
    real = realpathSync(folder);
  } catch {
    throw new StartError(
      `The folder ${folder} for the keys is not there. Make it: install -d -m 700 ${posixPath(folder)}`,
    );
  }
  const holds = resolve(backup);
  if (real === holds || real.startsWith(holds + sep))
    throw new StartError(
      'The keys open what is in the backup: keep them in another folder, best on another machine.',
    );
  if (process.platform !== 'win32' && (statSync(real).mode & 0o077) !== 0)
    throw new StartError(
      `Other accounts may look into ${real}, so no keys are written there. Make a folder for them: mkdir -m 700 ${posixPath(join(real, 'sallyport-keys'))}, and name the file in it.`,
    );
}

/**
 * Writes the keys into a new file, readable by its owner only.
 * @throws StartError for a key that never leaves its service; Error if the file exists
 */
export async function writeKeys(
  file: string,
  config: Config,
  masters: readonly MasterKey[],
): Promise<void> {
  const license = join(config.dataDirectory, LICENSE_KEY);
  const [secretKey, ...earlierKeys] = masters.map(({ bytes }) => bytes?.toString('hex') ?? '');
  if (!secretKey)
    throw new StartError(
      'The master key never leaves its service, so --keys cannot write it. Leave --keys out, and back the service up.',
    );
  const kept: BackupKeys = {
    secretKey,
    earlierKeys: earlierKeys.filter((key) => key !== ''),
    licenseKey: existsSync(license) ? readFileSync(license, 'utf8') : null,
  };
  await writeFile(
    file,
    `${JSON.stringify({ format: FORMAT, version: 1, ...kept }, undefined, 2)}\n`,
    { flag: 'wx', mode: 0o600, flush: true },
  );
}

/** Reads a key file. @throws StartError if others can read it, or for other content */
export function readKeys(file: string): BackupKeys {
  let text: string;
  try {
    assertPrivateFile(file);
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if (error instanceof StartError) throw error;
    throw new StartError(
      `${basename(file)} cannot be read (${(error as NodeJS.ErrnoException).code}). Name the file that the command backup wrote with --keys.`,
    );
  }
  try {
    const {
      format,
      secretKey = '',
      earlierKeys = [],
      licenseKey = null,
    } = JSON.parse(text) as Partial<BackupKeys> & { readonly format?: string };
    if (format === FORMAT && [secretKey, ...earlierKeys].every((key) => KEY.test(key)))
      return { secretKey, earlierKeys, licenseKey };
  } catch {
    // Do not repeat the content: it may be another kind of key.
  }
  // Accept a bare key, as stored in the data folder.
  const [secretKey = '', ...earlierKeys] = text.trim().split(/\s+/);
  if ([secretKey, ...earlierKeys].every((key) => KEY.test(key)))
    return { secretKey, earlierKeys, licenseKey: null };
  throw new StartError(`${basename(file)} holds no keys of Sallyport.`);
}

/** Writes keys into a data folder in the format of the server. */
export async function placeKeys(
  { secretKey, earlierKeys, licenseKey }: BackupKeys,
  dataDirectory: string,
): Promise<void> {
  const options = { flag: 'wx', mode: 0o600, flush: true };
  await writeFile(
    join(dataDirectory, 'secret.key'),
    `${[secretKey, ...earlierKeys].join('\n')}\n`,
    options,
  );
  if (licenseKey !== null) await writeFile(join(dataDirectory, LICENSE_KEY), licenseKey, options);
}
