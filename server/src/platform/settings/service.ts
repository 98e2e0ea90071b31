import {
  featureOfSettings,
  Permission,
  type Problem,
  SETTING_CATEGORIES,
  SETTING_FIELDS,
  type Settings,
} from '@sallyport/contract';
import type { Caller } from '../actor.ts';
import type { Vault } from '../crypto/vault.ts';
import type { Db, Tx } from '../db/database.ts';
import { sql } from '../db/sql.ts';
import { newestReading } from '../gate.ts';
import { createSettingRules, type SettingRules } from './rules.ts';

/**
 * Settings with the destination of each stored secret. The last one is the account name. Without
 * it, the secret is not used.
 */
const PLACES = {
  EMAIL_HOST_PASSWORD: [
    'EMAIL_HOST',
    'EMAIL_PORT',
    'EMAIL_USE_SSL',
    'EMAIL_USE_TLS',
    'EMAIL_HOST_USER',
  ],
  AUTH_LDAP_BIND_PASSWORD: ['AUTH_LDAP_SERVER_URI', 'AUTH_LDAP_START_TLS', 'AUTH_LDAP_BIND_DN'],
  AUTH_RADIUS_SECRET: ['AUTH_RADIUS_SERVERS'],
  AUTH_OPENID_CLIENT_SECRET: ['AUTH_OPENID_ISSUER', 'AUTH_OPENID_CLIENT_ID'],
} as const satisfies Readonly<Record<string, readonly (keyof Settings)[]>>;

type SecretName = keyof typeof PLACES;
type Values = Readonly<Partial<Record<keyof Settings, unknown>>>;

/**
 * Returns true if a secret would go to the server that it was stored for: same host, port,
 * protection and account.
 */
export function isSamePlace(secret: SecretName, stored: Values, wanted: Values): boolean {
  return PLACES[secret].every((name) => (wanted[name] ?? '') === (stored[name] ?? ''));
}

/** The effect of new settings on stored secrets. */
interface MovedSecrets {
  /** Secrets that must be entered again, as the stored one would be sent to another server. */
  readonly problems: Readonly<Record<string, Problem[]>>;
  /** Secrets that are no longer used. Clearing them prevents later use with another server. */
  readonly dropped: readonly SecretName[];
}

/** Compares settings before and after a change. `typed` contains the secrets of the change. */
export function movedSecrets(before: Values, after: Values, typed: Values): MovedSecrets {
  const problems: Record<string, Problem[]> = {};
  const dropped: SecretName[] = [];
  for (const secret of Object.keys(PLACES) as SecretName[]) {
    if (!before[secret] || typed[secret] || isSamePlace(secret, before, after)) continue;
    const nameOfAccount = PLACES[secret].at(-1);
    if (nameOfAccount && after[nameOfAccount])
      problems[secret] = [{ code: 'password_for_other_server' }];
    else dropped.push(secret);
  }
  return { problems, dropped };
}

/** Access to settings: administrators of the installation. */
export const SUPER = Permission.SUPER | Permission.ADMIN;

const MEBIBYTE = 1_048_576;

/** Free bytes on the disk of recordings below which sessions end and no new ones start. */
export const diskReserveBytes = (settings: Pick<SettingsService, 'get'>): number =>
  settings.get('TERMINAL_RECORDING_DISK_RESERVE') * MEBIBYTE;

/** Time zone of days, hours and crontabs, and of dates for callers that send none. */
export const serverZone = (settings: Pick<SettingsService, 'get'>): string =>
  settings.get('SERVER_TIME_ZONE') || 'UTC';

/** Values that cannot be changed while the server runs. */
const FIXED = {
  SECURITY_MFA_VERIFY_TTL: 3_600,
  /** Idle seconds until a browser session ends. */
  SESSION_COOKIE_AGE: 86_400,
  /** Lifetime of a bearer token in seconds. */
  TOKEN_EXPIRATION: 86_400,
};

/** Stored values that forms of settings do not offer. */
const INTERNAL = {
  /** Name of the compliance preset in force; empty: none. */
  COMPLIANCE_PRESET: '',
  /** Names of the features that were off at the last start, comma-separated. */
  FEATURES_OFF: '',
};

export type Known = Settings & typeof FIXED & typeof INTERNAL;
export type SettingName = keyof Known;

export interface SettingsService extends SettingRules {
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
  return { ...Object.fromEntries(declared), ...FIXED, ...INTERNAL };
}

/** Returns the names of the settings of features that are off. */
const namesOff = (without: readonly string[]): ReadonlySet<string> =>
  new Set(
    Object.entries(SETTING_CATEGORIES).flatMap(([category, { fields }]) => {
      const feature = featureOfSettings(category);
      return feature && without.includes(feature) ? Object.keys(fields) : [];
    }),
  );

/**
 * Creates the settings service. Call `reload` before the first use. Settings of the features in
 * `without` have their defaults; stored values stay.
 */
export function createSettings(
  db: Db,
  vault: Vault,
  without: readonly string[] = [],
): SettingsService {
  const off = namesOff(without);
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
      const kind = SETTING_FIELDS.get(name)?.kind ?? (Object.hasOwn(INTERNAL, name) && 'text');
      // Skips rows of removed settings, and rows of other parts of the program.
      if (!kind || off.has(name)) return [];
      return [[name, kind === 'secret' ? vault.open(String(value), contextOf(name)) : value]];
    });
    return { ...defaults(), ...Object.fromEntries(stored) };
  };
  return {
    ...createSettingRules(),
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
