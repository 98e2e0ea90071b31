import { Permission, SETTING_FIELDS, type Settings } from '@sallyport/contract';
import { StartError } from '../../config.ts';
import type { Caller } from '../actor.ts';
import type { Vault } from '../crypto/vault.ts';
import type { Db, Tx } from '../db/database.ts';
import { sql } from '../db/sql.ts';
import { newestReading } from '../serial.ts';

/** Access to settings: administrators of the installation. */
export const SUPER = Permission.SUPER | Permission.ADMIN;

const MEBIBYTE = 1_048_576;

/** Free bytes on the disk of recordings below which sessions end and no new ones start. */
export const diskReserveBytes = (settings: Pick<SettingsService, 'get'>): number =>
  settings.get('TERMINAL_RECORDING_DISK_RESERVE') * MEBIBYTE;

/** Values that cannot be changed while the server runs. */
const FIXED = {
  SECURITY_MFA_VERIFY_TTL: 3_600,
  /** Idle seconds until a browser session ends. */
  SESSION_COOKIE_AGE: 86_400,
  /** Lifetime of a bearer token in seconds. */
  TOKEN_EXPIRATION: 86_400,
};

type Known = Settings & typeof FIXED;
export type SettingName = keyof Known;

export interface SettingsService {
  /** The value in force. Secrets are opened. */
  get<K extends SettingName>(name: K): Known[K];
  /** Reads every value within a transaction, and locks the settings until it ends. */
  read(tx: Tx): Promise<Known>;
  /**
   * Stores values in a transaction. A blank secret deletes the stored one. Servers apply them at
   * `reload`, which the database announces at commit.
   */
  store(values: Readonly<Record<string, unknown>>, tx: Tx): Promise<void>;
  /**
   * Reads the table again: at the start, after a change, and after the notification of another
   * server.
   */
  reload(): Promise<void>;
  /** Calls `listener` after each reload. */
  onReload(listener: () => void): void;
  /** Sets the function that verifies the identity of a caller who changes security settings. */
  setConfirmation(confirm: (caller: Caller) => Promise<void>): void;
  /** Verifies the identity of the caller. @throws AppError */
  confirm(caller: Caller): Promise<void>;
}

/** Binds a sealed secret to its setting. */
const contextOf = (name: string) => `setting.value.${name}`;

function defaults(): Record<string, unknown> {
  const declared = [...SETTING_FIELDS].map(
    ([name, field]) => [name, field.kind === 'secret' ? '' : field.defaultValue] as const,
  );
  return { ...Object.fromEntries(declared), ...FIXED };
}

/** Creates the settings service. Call `reload` before the first use. */
export function createSettings(db: Db, vault: Vault): SettingsService {
  let current = defaults();
  const listeners: (() => void)[] = [];
  let confirmation: (caller: Caller) => Promise<void> = () =>
    Promise.reject(new Error('no confirmation of settings changes is configured'));
  const readFrom = async (from: Db | Tx): Promise<Record<string, unknown>> => {
    const { rows } = await sql<{
      name: string;
      value: unknown;
    }>`select name, value from setting`.execute(from);
    const stored = rows.flatMap(({ name, value }): [string, unknown][] => {
      const kind = SETTING_FIELDS.get(name)?.kind;
      // Skips rows of removed settings, and internal rows of the program.
      if (!kind) return [];
      return [[name, kind === 'secret' ? vault.open(String(value), contextOf(name)) : value]];
    });
    return { ...defaults(), ...Object.fromEntries(stored) };
  };
  return {
    setConfirmation(confirm) {
      confirmation = confirm;
    },
    confirm: (caller) => confirmation(caller),
    get: <K extends SettingName>(name: K) => current[name] as Known[K],
    async store(values, tx) {
      for (const [name, value] of Object.entries(values)) {
        const isSecret = SETTING_FIELDS.get(name)?.kind === 'secret';
        if (isSecret && value === '') {
          await sql`delete from setting where name = ${name}`.execute(tx);
          continue;
        }
        const kept = JSON.stringify(isSecret ? vault.seal(String(value), contextOf(name)) : value);
        await sql`insert into setting (name, value) values (${name}, ${kept}::jsonb)
          on conflict (name) do update set value = excluded.value`.execute(tx);
      }
      await sql`select pg_notify('settings', '')`.execute(tx);
    },
    async read(tx) {
      await sql`select pg_advisory_xact_lock(hashtext('sallyport settings'))`.execute(tx);
      return (await readFrom(tx)) as Known;
    },
    reload: newestReading(
      () => readFrom(db),
      (values) => {
        current = values;
        for (const listener of listeners) listener();
      },
    ),
    onReload: (listener) => void listeners.push(listener),
  };
}

const NAME = 'vault_check';
const CONTEXT = 'setting.value.vault_check';

/**
 * Verifies that the key of this server sealed the secrets in the database. The first start stores a
 * sealed mark, which later starts open.
 * @throws StartError before anything is sealed with a second key
 */
export async function assertSameKey(db: Db, vault: Vault): Promise<void> {
  await sql`insert into setting (name, value)
    values (${NAME}, ${JSON.stringify(vault.seal('sallyport', CONTEXT))}::jsonb)
    on conflict do nothing`.execute(db);
  const { rows } = await sql<{
    value: string;
  }>`select value from setting where name = ${NAME}`.execute(db);
  try {
    vault.open(rows[0]?.value ?? '', CONTEXT);
  } catch {
    throw new StartError(
      "The secrets in this database were sealed with another key. Give the one it was made with: SALLYPORT_SECRET_KEY_FILE='/path/to/secret.key' (the data folder of the first start holds it).",
    );
  }
}
