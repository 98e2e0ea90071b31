import { parseDatetime } from '@sallyport/contract';
import { askFirst } from '../../../kit/dialogs/confirm.ts';
import { isWithoutEnd } from '../../../kit/format/format.ts';
import { common, t } from '../../../kit/i18n/index.ts';
import type { QuickAction } from '../../resource/detail/Cards.tsx';
import { words } from './words.ts';

/** The validity of a permission of any kind. */
interface Ending {
  readonly name: string;
  readonly date_expired: string;
}

interface EndingModel {
  readonly change: (part: { readonly date_expired: string }) => Promise<unknown>;
}

const DAY = 86_400_000;
const LENGTHS = [
  { days: 1, label: words.oneDay },
  { days: 7, label: words.oneWeek },
  { days: 30, label: words.thirtyDays },
] as const;

/**
 * Returns the new end of a permission: `days` after its end, or after now if the end has passed.
 */
export function extended(end: string, days: number, now: Date): Date {
  const from = parseDatetime(end) ?? now;
  return new Date(Math.max(from.getTime(), now.getTime()) + days * DAY);
}

/** Quick actions that extend or end a permission. */
export function validityActions(rule: Ending, { change }: EndingModel): QuickAction[] {
  const endless = isWithoutEnd(rule.date_expired);
  const ended = (parseDatetime(rule.date_expired) ?? new Date()) <= new Date();
  return [
    {
      key: 'extend',
      title: t(words.extendBy),
      disabled: endless,
      ...(endless && { hint: t(words.endsNever) }),
      choices: LENGTHS.map(({ days, label }) => ({
        button: t(label),
        run: () =>
          change({ date_expired: extended(rule.date_expired, days, new Date()).toISOString() }),
      })),
    },
    {
      key: 'end',
      title: t(words.endNow),
      button: t(words.end),
      danger: true,
      disabled: ended,
      run: () =>
        askFirst({
          message: t(words.endQuestion, { name: rule.name }),
          confirm: t(words.end),
          danger: true,
          run: () => change({ date_expired: new Date().toISOString() }),
          failure: t(common.updateFailed),
        }),
    },
  ];
}
