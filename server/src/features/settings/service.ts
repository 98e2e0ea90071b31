import { sql } from 'kysely';
import type { Db } from '../../platform/db/database.ts';

/** Every setting with its default (identity reference §6.1). Rows in the table override them. */
export const SETTING_DEFAULTS = {
  SECURITY_LOGIN_LIMIT_COUNT: 7,
  /** Minutes. */
  SECURITY_LOGIN_LIMIT_TIME: 30,
  /** Minutes without a keystroke or a byte of output. */
  SECURITY_MAX_IDLE_TIME: 30,
  /** Hours. */
  SECURITY_MAX_SESSION_TIME: 24,
  /** Days. */
  SECURITY_PASSWORD_EXPIRATION_TIME: 9999,
  SECURITY_PASSWORD_MIN_LENGTH: 6,
  SECURITY_PASSWORD_UPPER_CASE: false,
  SECURITY_PASSWORD_LOWER_CASE: false,
  SECURITY_PASSWORD_NUMBER: false,
  SECURITY_PASSWORD_SPECIAL_CHAR: false,
  SECURITY_COMMAND_EXECUTION: true,
  SECURITY_MFA_VERIFY_TTL: 3600,
  SECURITY_VIEW_AUTH_NEED_MFA: true,
  /** Seconds a sign-in lasts without being used. */
  SESSION_COOKIE_AGE: 86_400,
  /** Seconds. */
  TOKEN_EXPIRATION: 86_400,
  TERMINAL_ASSET_LIST_SORT_BY: 'hostname' as 'hostname' | 'ip',
  USER_GUIDE_URL: '',
};

export type Settings = typeof SETTING_DEFAULTS;
export type SettingName = keyof Settings;

export interface SettingsService {
  /** The value in force. */
  get<K extends SettingName>(name: K): Settings[K];
  /** Reads the table again: at start and when another server said that it changed. */
  reload(): Promise<void>;
}

/** Opens the settings; call `reload` before the first use. */
export function createSettings(db: Db): SettingsService {
  let current: Settings = { ...SETTING_DEFAULTS };
  return {
    get: (name) => current[name],
    async reload() {
      const { rows } = await sql<{ name: string; value: unknown }>`select name, value from setting`.execute(db);
      const stored = Object.fromEntries(
        rows.filter(({ name, value }) => typeof value === typeof SETTING_DEFAULTS[name as SettingName]).map(({ name, value }) => [name, value]),
      );
      current = { ...SETTING_DEFAULTS, ...stored };
    },
  };
}
