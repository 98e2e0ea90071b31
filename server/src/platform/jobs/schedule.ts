import type { Schedule } from './definition.ts';

/** A schedule in the format of pg-boss. */
export interface StoredSchedule {
  readonly expression: string;
  readonly zone: string;
  readonly missed: 'once' | 'skip';
}

const MINUTES_OF_HOUR = 60;

/** Formats a date for a recurrence rule, such as `20260131T083000Z`. */
function ruleDate(date: Date): string {
  return `${date.toISOString().slice(0, 19).replace(/[-:]/g, '')}Z`;
}

/** Translates a schedule. An interval counts from `anchor`, the start of the last run. */
export function storedSchedule(schedule: Schedule, anchor: Date): StoredSchedule {
  if ('crontab' in schedule)
    return {
      expression: schedule.crontab.trim().split(/\s+/).join(' '),
      zone: schedule.zone ?? localZone(),
      missed: 'skip',
    };
  if ('dailyAt' in schedule) {
    const [hour, minute] = schedule.dailyAt.split(':').map(Number);
    return {
      expression: `${minute} ${hour} * * *`,
      zone: schedule.zone ?? localZone(),
      missed: 'once',
    };
  }
  const every = schedule.everyMinutes;
  // Intervals that divide an hour need no start.
  if (every < MINUTES_OF_HOUR && MINUTES_OF_HOUR % every === 0)
    return {
      expression: every === 1 ? '* * * * *' : `*/${every} * * * *`,
      zone: 'UTC',
      missed: 'once',
    };
  // A run that became due while the schedule was off or no server ran starts at once.
  const first = anchor.getTime() + every * 60_000 < Date.now() ? new Date() : anchor;
  return {
    expression: `DTSTART:${ruleDate(first)}\nRRULE:FREQ=MINUTELY;INTERVAL=${every}`,
    zone: 'UTC',
    missed: 'once',
  };
}

/**
 * Translates the schedule of a row. The first run is one interval after `since`, so a new schedule
 * does not run at once.
 */
export function storedRowSchedule(schedule: Schedule, since: Date): StoredSchedule {
  if (!('everyMinutes' in schedule)) return storedSchedule(schedule, since);
  const due = since.getTime() + schedule.everyMinutes * 60_000;
  const first = new Date(Math.max(due, Date.now()));
  return {
    expression: `DTSTART:${ruleDate(first)}\nRRULE:FREQ=MINUTELY;INTERVAL=${schedule.everyMinutes}`,
    zone: 'UTC',
    missed: 'once',
  };
}

/** Returns true if two expressions differ at most in the start of their interval. */
export function isSameRule(one: string, other: string): boolean {
  const rule = (text: string) => text.replace(/^DTSTART:\S+\n/, '');
  return rule(one) === rule(other);
}

function localZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}
