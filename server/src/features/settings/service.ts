import { SETTING_FIELDS, type Settings } from '@sallyport/contract';
import { sql } from 'kysely';
import type { Caller } from '../../platform/actor.ts';
import type { Vault } from '../../platform/crypto/vault.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import { newestReading } from '../../platform/newest-reading.ts';

/** Values that cannot be changed while the server runs. */
const FIXED = {
  SECURITY_MFA_VERIFY_TTL: 3_600,
  /** Seconds a browser's sign-in lasts without being used. */
  SESSION_COOKIE_AGE: 86_400,
  /** Seconds a bearer token lasts. */
  TOKEN_EXPIRATION: 86_400,
};

type Known = Settings & typeof FIXED;
export type SettingName = keyof Known;

export interface SettingsService {
  /** The value in force; a secret is opened. */
  get<K extends SettingName>(name: K): Known[K];
  /**
   * Every value as a transaction finds it, to compare with; they are locked until the transaction
   * ends.
   */
  read(tx: Tx): Promise<Known>;
  /**
   * Stores values in a transaction; a blank secret removes the stored one. They are in force on
   * every server after `reload`, which the database announces on commit.
   */
  store(values: Readonly<Record<string, unknown>>, tx: Tx): Promise<void>;
  /**
   * Reads the table again: at start, after a change, and when another server announces a change.
   */
  reload(): Promise<void>;
  /** Calls `listener` after each reload. */
  onReload(listener: () => void): void;
  /** Sets the check that a caller proves who they are before a change of security settings. */
  setConfirmation(confirm: (caller: Caller) => Promise<void>): void;
  /** Asks for that proof. @throws AppError */
  confirm(caller: Caller): Promise<void>;
}

/** What a secret is sealed for: it opens nowhere else. */
const contextOf = (name: string) => `setting.value.${name}`;

function defaults(): Record<string, unknown> {
  const declared = [...SETTING_FIELDS].map(
    ([name, field]) => [name, field.kind === 'secret' ? '' : field.defaultValue] as const,
  );
  return { ...Object.fromEntries(declared), ...FIXED };
}

/** Opens the settings; call `reload` before the first use. */
export function createSettings(db: Db, vault: Vault): SettingsService {
  let current = defaults();
  const listeners: (() => void)[] = [];
  let confirmation: (caller: Caller) => Promise<void> = () =>
    Promise.reject(new Error('nothing confirms changes of settings'));
  const readFrom = async (from: Db | Tx): Promise<Record<string, unknown>> => {
    const { rows } = await sql<{
      name: string;
      value: unknown;
    }>`select name, value from setting`.execute(from);
    const stored = rows.flatMap(({ name, value }): [string, unknown][] => {
      const kind = SETTING_FIELDS.get(name)?.kind;
      // Rows of settings that a later version removed, and the program's own rows, are not values.
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
      (found) => {
        current = found;
        for (const listener of listeners) listener();
      },
    ),
    onReload: (listener) => void listeners.push(listener),
  };
}
