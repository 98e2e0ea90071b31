import { execFile } from 'node:child_process';
import { hkdfSync, randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Config, StartError } from '../../config.ts';
import { assertPrivateFile } from '../private-file.ts';
import { readTransitKeys, transitPlaceOf } from './transit.ts';
import { decrypt, encrypt, type MasterKey, type Suite } from './vault.ts';

export type { MasterKey } from './vault.ts';

/** The key of a database is missing, or another one. Other errors may be temporary. */
export class KeyLost extends StartError {}

/** Where the master keys are. */
export type KeyConfig = Pick<
  Config,
  'secretKey' | 'secretKeyFile' | 'secretKeyCommand' | 'transit' | 'dataDirectory'
> &
  Partial<Pick<Config, 'suite'>>;

/** Maximum keys in a key file: that of a rotation, the one before, and one that was forgotten. */
const MOST_KEYS = 3;
const COMMAND_MS = 10_000;
const COMMAND_BYTES = 4096;

/** Makes a master key of 32 bytes. `suite` wraps new data keys. */
export function localMasterKey(bytes: Buffer, suite: Suite = 'international'): MasterKey {
  const derive = (use: string, length: number) =>
    Buffer.from(hkdfSync('sha256', bytes, '', use, length));
  const wrapping = derive('sallyport wrapping', 32);
  return {
    id: derive('sallyport master key id', 6).toString('hex'),
    bytes,
    wrap: async (key, context) => encrypt(wrapping, key.toString('hex'), context, suite),
    unwrap: async (wrapped, context) => Buffer.from(decrypt(wrapping, wrapped, context), 'hex'),
  };
}

/** Returns the path of the key file, whether it exists or not. */
export const keyFileOf = ({ secretKeyFile, dataDirectory }: KeyConfig): string =>
  secretKeyFile ?? join(dataDirectory, 'secret.key');

/** Returns true if the configuration or the data folder has a key. Commands never create one. */
export const hasSecretKey = (config: KeyConfig): boolean =>
  Boolean(config.transit || config.secretKey || config.secretKeyCommand) ||
  existsSync(keyFileOf(config));

/** Returns where the operator finds the master keys: a service, a command or a file. */
export function keyPlaceOf(config: KeyConfig): string {
  if (config.transit) return transitPlaceOf(config.transit);
  return config.secretKeyCommand
    ? `the output of ${config.secretKeyCommand[0]} (SALLYPORT_SECRET_KEY_COMMAND)`
    : keyFileOf(config);
}

/**
 * Reads the master keys. The first wraps new data keys; the others are those before a rotation.
 * With `isFirst`, creates the key file of a new installation before. With a key service,
 * another key is the previous one, until a rotation removes it.
 * @throws StartError if the key file is missing, unreadable, holds no key, or is readable by other
 *   accounts, or if the command or the service fails
 */
export async function readMasterKeys(
  config: KeyConfig,
  isFirst = false,
): Promise<readonly MasterKey[]> {
  if (isFirst) createKeyFile(config);
  if (config.transit) {
    const before = { ...config, transit: undefined };
    return [
      ...(await readTransitKeys(config.transit)),
      ...(hasSecretKey(before) ? await readMasterKeys(before) : []),
    ];
  }
  if (config.secretKey) return [localMasterKey(Buffer.from(config.secretKey, 'hex'), config.suite)];
  const keys = config.secretKeyCommand
    ? parseKeys(await runKeyCommand(config.secretKeyCommand), keyPlaceOf(config))
    : readKeyFile(config);
  return keys.map((key) => localMasterKey(key, config.suite));
}

/** Returns what a command prints. Its errors never hold its output. */
async function runKeyCommand([program = '', ...words]: readonly string[]): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)(program, words, {
      timeout: COMMAND_MS,
      // A program may ignore SIGTERM, and the start would wait for it.
      killSignal: 'SIGKILL',
      maxBuffer: COMMAND_BYTES,
    });
    return stdout;
  } catch (error) {
    const { code, killed } = error as { code?: number | string; killed?: boolean };
    const problem =
      code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER'
        ? `printed more than ${COMMAND_BYTES / 1024} KiB, and may print keys only`
        : typeof code === 'string'
          ? `cannot be used: ${code}`
          : killed
            ? `did not end within ${COMMAND_MS / 1000} seconds`
            : `ended with the exit code ${code}`;
    throw new StartError(
      `SALLYPORT_SECRET_KEY_COMMAND: ${program} ${problem}. Run it as the account of the server.`,
    );
  }
}

function parseKeys(text: string, place: string): Buffer[] {
  const keys = text.trim().split(/\s+/);
  if (keys.length > MOST_KEYS || !keys.every((key) => /^[0-9a-f]{64}$/i.test(key)))
    throw new StartError(
      `${place} does not hold a key of 64 hexadecimal digits. A database opens with its own key only: bring that key back. Make one only for a new installation: openssl rand -hex 32`,
    );
  return keys.map((key) => Buffer.from(key, 'hex'));
}

function readKeyFile(config: KeyConfig): Buffer[] {
  const file = keyFileOf(config);
  if (!config.secretKeyFile && !existsSync(file)) throw missingKey(config);
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new StartError(
      `SALLYPORT_SECRET_KEY_FILE cannot be read: ${(error as NodeJS.ErrnoException).code}. Example: SALLYPORT_SECRET_KEY_FILE='/run/secrets/sallyport.key'`,
    );
  }
  const keys = parseKeys(text, file);
  assertPrivateFile(file);
  return keys;
}

/** The error of a database whose secret key is not there. */
export function missingKey(config: KeyConfig): KeyLost {
  return new KeyLost(
    `The secret key of this database is missing: ${keyFileOf(config)} does not exist. Put it back, or name the file: SALLYPORT_SECRET_KEY_FILE='/path/to/secret.key'. See the operator guide, "The key is lost".`,
  );
}

/** Creates the key file of a new installation, durable on return. */
function createKeyFile(config: KeyConfig): void {
  writeFileSync(keyFileOf(config), `${randomBytes(32).toString('hex')}\n`, {
    mode: 0o600,
    flag: 'wx',
    flush: true,
  });
}
