import { boolean, computed, integer, text } from './field.ts';
import { type Language, type LocalText, say } from './text.ts';

/** Maximum hours between two runs. */
export const MAX_INTERVAL_HOURS = 65_535;
export const DEFAULT_INTERVAL_HOURS = 24;

/** Schedule of a row's work. The crontab wins over the interval. */
export interface Period {
  readonly is_periodic: boolean;
  readonly crontab: string | null;
  /** Hours. */
  readonly interval: number | null;
}

/** Next runs of a period, as `YYYY-MM-DD HH:MM:SS ±HHMM` in the caller's time zone. */
export interface NextTimes {
  readonly times: readonly string[];
}

/** Fields of periodic work, shared by plans and tasks (see `periodProblem`). */
export const periodFields = () => ({
  is_periodic: boolean({
    label: { en: 'Run on a schedule', zh: '定时执行' },
    defaultValue: false,
    filter: true,
    yesMeans: 'neither',
  }),
  crontab: text({
    label: { en: 'Crontab', zh: '定期执行' },
    help: {
      en: 'Minute, hour, day, month and weekday in the server time zone, instead of the interval',
      zh: '分 时 日 月 周，按服务器时区；优先于周期执行',
    },
    max: 128,
    format: 'crontab',
    example: '0 3 * * 1',
    required: false,
    nullable: true,
  }),
  interval: integer({
    label: { en: 'Interval (hours)', zh: '周期执行（小时）' },
    unit: { en: 'hours', zh: '小时' },
    help: {
      en: 'Hours between runs: 1 to 65535',
      zh: '两次执行之间的小时数：1 至 65535',
    },
    min: 1,
    max: MAX_INTERVAL_HOURS,
    nullable: true,
    defaultValue: DEFAULT_INTERVAL_HOURS,
  }),
  periodic_display: computed.string({
    label: { en: 'Schedule', zh: '定时' },
    example: 'Every 24 h',
  }),
});

export const PERIOD_FIELDS = ['is_periodic', 'crontab', 'interval'] as const;

/** Returns true if a period is on but has no schedule. */
export function isWithoutTime({ is_periodic: isPeriodic, crontab, interval }: Period): boolean {
  return isPeriodic && !crontab && !interval;
}

const WORDS = {
  crontab: { en: 'Crontab: {crontab} ({zone})', zh: '定期执行（{crontab}，{zone}）' },
  interval: { en: 'Every {interval} h', zh: '每 {interval} 小时' },
} as const satisfies Record<string, LocalText>;

/** Describes a period; `-` if it is off. A crontab goes by `zone`. */
export function periodText(
  { is_periodic: isPeriodic, crontab, interval }: Period,
  language: Language,
  zone: string,
): string {
  if (!isPeriodic) return '-';
  if (crontab) return say(WORDS.crontab, language, { crontab, zone });
  return interval ? say(WORDS.interval, language, { interval: String(interval) }) : '-';
}
