import type { Config } from '../../config.ts';

/** What one check found. */
export interface Finding {
  /** The check, such as `database`; stable for programs. */
  readonly check: string;
  readonly level: 'ok' | 'warning' | 'problem';
  readonly message: string;
  /** The command or the setting that helps. */
  readonly fix?: string;
}

export interface DoctorContext {
  readonly config: Config;
  /** Whether a server works in the data folder. */
  readonly isRunning: boolean;
}

/** Everything is as it should be. */
export const fine = (check: string, message: string): Finding => ({ check, level: 'ok', message });
/** The server works, but not for long or not well. */
export const warning = (check: string, message: string, fix: string): Finding => ({
  check,
  level: 'warning',
  message,
  fix,
});
/** Something does not work. */
export const problem = (check: string, message: string, fix: string): Finding => ({
  check,
  level: 'problem',
  message,
  fix,
});

/** What an error says, in one line. */
export const reasonOf = (error: unknown): string =>
  (error instanceof Error ? error.message || error.name : String(error))
    .split('\n')[0]
    ?.slice(0, 300) ?? '';

/** Certificates and licenses are named so many days before their end. */
export const SOON_DAYS = 30;
