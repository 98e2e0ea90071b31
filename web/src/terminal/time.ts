import { language } from '../kit/i18n/index.ts';

const LOCALE = language === 'zh' ? 'zh-CN' : 'en-GB';
const time = new Intl.DateTimeFormat(LOCALE, { timeStyle: 'medium', hourCycle: 'h23' });
const dateTime = new Intl.DateTimeFormat(LOCALE, {
  dateStyle: 'medium',
  timeStyle: 'medium',
  hourCycle: 'h23',
});

/** A time of day in the page's language. */
export function timeText(moment: Date): string {
  return time.format(moment);
}

/** A day and its time in the page's language. */
export function dateTimeText(moment: Date): string {
  return dateTime.format(moment);
}
