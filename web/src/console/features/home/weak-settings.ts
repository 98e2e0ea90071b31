import { FOREVER_DAYS, type LocalText, type WaitingSetting } from '@sallyport/contract';
import { useQuery } from '@tanstack/react-query';
import { api } from '../../../kit/api.ts';
import { SETTINGS_URL } from '../../base/addresses.ts';
import { siteElsewhere } from '../site/index.ts';
import { words } from './words.ts';

type Settings = Readonly<
  Record<string, Readonly<Record<string, string | number | boolean | null>>>
>;

const SAFE_LENGTH = 12;

/** The value that makes a setting safe. */
export interface Change {
  readonly name: string;
  readonly value: number | boolean | string;
  /** The category of the setting; defaults to `security`. */
  readonly category?: 'basic' | 'security';
  readonly question?: LocalText;
}

/** A weak setting: its current value, and how to change it. */
interface Step {
  readonly title: LocalText;
  readonly now: LocalText;
  readonly count?: number;
  readonly text?: string;
  /** The setting to turn on. Absent: the user chooses the value on a page. */
  readonly change?: Change;
  readonly tab: string;
}

/**
 * Lists the weak settings, the worst first. `here` is the address of the console, which mailed
 * links begin with after the change.
 */
export function weakSettings(
  { basic = {}, security = {}, terminal = {} }: Settings,
  here: string,
): readonly Step[] {
  const site = siteElsewhere(
    basic.SITE_URL === undefined ? undefined : String(basic.SITE_URL),
    here,
  );
  const length = Number(security.SECURITY_PASSWORD_MIN_LENGTH);
  const days = Number(terminal.TERMINAL_SESSION_KEEP_DURATION);
  return [
    ...(site !== undefined
      ? [
          {
            title: words.siteUrl,
            now: words.siteUrlNow,
            text: site,
            change: { name: 'SITE_URL', value: here, category: 'basic' as const },
            tab: 'Basic',
          },
        ]
      : []),
    ...(security.SECURITY_MFA_AUTH === false
      ? [
          {
            title: words.hardenMfa,
            now: words.hardenMfaNow,
            change: { name: 'SECURITY_MFA_AUTH', value: true, question: words.hardenMfaConfirm },
            tab: 'Security',
          },
        ]
      : []),
    ...(length < SAFE_LENGTH
      ? [
          {
            title: words.hardenLength,
            now: words.hardenLengthNow,
            count: length,
            change: { name: 'SECURITY_PASSWORD_MIN_LENGTH', value: SAFE_LENGTH },
            tab: 'Security',
          },
        ]
      : []),
    ...(days >= FOREVER_DAYS
      ? [
          {
            title: words.hardenRetention,
            now: words.hardenRetentionNow,
            tab: 'Terminal',
          },
        ]
      : []),
  ];
}

/** Query key of the settings for the card of weak settings. */
export const HARDENING_KEY = ['settings', 'hardening'];

/** Loads the settings that may be weak, if the user may change them. */
export function useHardening(enabled: boolean) {
  return useQuery({
    queryKey: HARDENING_KEY,
    queryFn: ({ signal }) => api.get<Settings>(SETTINGS_URL, { signal, quiet: true }),
    enabled,
  });
}

export const WAITING_KEY = ['change-sets', 'settings'];

/** Loads the changes of settings that wait; again when change sets were decided elsewhere. */
export function useWaitingSettings(enabled: boolean) {
  return useQuery({
    queryKey: WAITING_KEY,
    queryFn: ({ signal }) =>
      api.get<readonly WaitingSetting[]>('change-sets/settings/', { signal, quiet: true }),
    enabled,
  });
}
