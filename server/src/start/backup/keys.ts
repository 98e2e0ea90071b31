import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { type Config, StartError } from '../../config.ts';

/** The keys of an installation. Together with a backup they open every stored secret. */
export interface KeyRing {
  /** 64 hexadecimal digits. */
  readonly secretKey: string;
  /** The private key of licenses that this installation issued itself. */
  readonly licenseKey: string | null;
}

const FORMAT = 'sallyport-keys';
const LICENSE_KEY = 'license.key';

/** Whether the configuration names a key, or the data folder holds one: a command never makes one. */
export function hasSecretKey(config: Config): boolean {
  return (
    Boolean(config.secretKey) ||
    existsSync(config.secretKeyFile ?? join(config.dataDirectory, 'secret.key'))
  );
}

/** Refuses a place for keys before anything is written: inside of the backup, in a folder that others can read, or where a file is. @throws StartError */
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
      `The folder ${folder} for the keys is not there. Make it: install -d -m 700 ${folder}`,
    );
  }
  const holds = resolve(backup);
  if (real === holds || real.startsWith(holds + sep))
    throw new StartError(
      'The keys open what is in the backup: keep them in another folder, best on another machine.',
    );
  if (process.platform !== 'win32' && (statSync(real).mode & 0o077) !== 0)
    throw new StartError(
      `Other accounts may look into ${real}, so no keys are written there. Run: chmod 700 ${real}`,
    );
}

/** Writes the keys into a new file that only its owner can read. @throws Error when it is there already */
export async function writeKeys(file: string, config: Config, secretKey: Buffer): Promise<void> {
  const license = join(config.dataDirectory, LICENSE_KEY);
  const ring: KeyRing = {
    secretKey: secretKey.toString('hex'),
    licenseKey: existsSync(license) ? readFileSync(license, 'utf8') : null,
  };
  await writeFile(
    file,
    `${JSON.stringify({ format: FORMAT, version: 1, ...ring }, undefined, 2)}\n`,
    { flag: 'wx', mode: 0o600, flush: true },
  );
}

/** Reads a file of keys. @throws StartError for one that others can read, or that holds something else */
export function readKeys(file: string): KeyRing {
  let text: string;
  try {
    if (process.platform !== 'win32' && (statSync(file).mode & 0o077) !== 0)
      throw new StartError(`${file} can be read by other accounts. Run: chmod 600 ${file}`);
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if (error instanceof StartError) throw error;
    throw new StartError(
      `${basename(file)} cannot be read (${(error as NodeJS.ErrnoException).code}). Name the file that the command backup wrote with --keys.`,
    );
  }
  try {
    const { format, secretKey, licenseKey } = JSON.parse(text) as Partial<KeyRing> & {
      readonly format?: string;
    };
    if (format === FORMAT && secretKey && /^[0-9a-f]{64}$/i.test(secretKey))
      return { secretKey, licenseKey: licenseKey ?? null };
  } catch {
    // What it holds is not repeated: it may be a key of another kind.
  }
  // A bare key, as the data folder has it, will do as well.
  if (/^[0-9a-f]{64}$/i.test(text.trim())) return { secretKey: text.trim(), licenseKey: null };
  throw new StartError(`${basename(file)} holds no keys of Sallyport.`);
}

/** Puts keys into a data folder, as a server finds them there. */
export async function placeKeys(
  { secretKey, licenseKey }: KeyRing,
  dataDirectory: string,
): Promise<void> {
  const options = { flag: 'wx', mode: 0o600, flush: true };
  await writeFile(join(dataDirectory, 'secret.key'), `${secretKey}\n`, options);
  if (licenseKey !== null) await writeFile(join(dataDirectory, LICENSE_KEY), licenseKey, options);
}
