import type { Config } from '../../config.ts';

/** The result of one check. */
export interface Finding {
  /** Stable name of the check, such as `database`. */
  readonly check: string;
  readonly level: 'ok' | 'warning' | 'problem';
  readonly message: string;
  /** A command or a setting. */
  readonly fix?: string;
}

export interface DoctorContext {
  readonly config: Config;
  /** True if a server uses the data folder. */
  readonly isRunning: boolean;
}

export const fine = (check: string, message: string): Finding => ({ check, level: 'ok', message });
/** The server works, but badly or not for long. */
export const warning = (check: string, message: string, fix: string): Finding => ({
  check,
  level: 'warning',
  message,
  fix,
});
export const problem = (check: string, message: string, fix: string): Finding => ({
  check,
  level: 'problem',
  message,
  fix,
});

/** Returns the message of an error in one line. */
export const reasonOf = (error: unknown): string =>
  (error instanceof Error ? error.message || error.name : String(error))
    .split('\n')[0]
    ?.slice(0, 300) ?? '';

/** Days before their end when certificates and licenses are reported. */
export const SOON_DAYS = 30;
