import type { LocalText } from '@sallyport/contract';
import { useQuery } from '@tanstack/react-query';
import { api } from '../../../kit/api.ts';
import { SETTINGS_URL } from '../../base/addresses.ts';
import { words } from './words.ts';

type Settings = Readonly<
  Record<string, Readonly<Record<string, string | number | boolean | null>>>
>;

const SAFE_LENGTH = 12;

/** Periods from this number of days count as unlimited. */
const FOREVER_DAYS = 9999;

/** A weak setting: its current value, and how to change it. */
interface Step {
  readonly title: LocalText;
  readonly now: LocalText;
  readonly count?: number;
  /** The setting to turn on. Absent: the user chooses the value on a page. */
  readonly change?: {
    readonly name: string;
    readonly value: number | boolean;
    readonly question?: LocalText;
  };
  readonly tab: string;
}

export function weakSettings({ security = {}, terminal = {} }: Settings): readonly Step[] {
  const length = Number(security.SECURITY_PASSWORD_MIN_LENGTH);
  const days = Number(terminal.TERMINAL_SESSION_KEEP_DURATION);
  return [
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
            count: days,
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
