import type { Schedule } from './definition.ts';

/** A schedule as pg-boss stores it. */
export interface StoredSchedule {
  readonly expression: string;
  readonly zone: string;
  readonly missed: 'once' | 'skip';
}

const MINUTES_OF_HOUR = 60;

/** Dates of recurrence rules, such as `20260131T083000Z`. */
function ruleDate(date: Date): string {
  return `${date.toISOString().slice(0, 19).replace(/[-:]/g, '')}Z`;
}

/** Translates a schedule. An interval counts from `anchor`, the begin of the last run. */
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
  // Short intervals need no memory of the last run.
  if (every < MINUTES_OF_HOUR && MINUTES_OF_HOUR % every === 0)
    return {
      expression: every === 1 ? '* * * * *' : `*/${every} * * * *`,
      zone: 'UTC',
      missed: 'once',
    };
  // What is overdue, because it was switched off or no server ran, begins at once.
  const first = anchor.getTime() + every * 60_000 < Date.now() ? new Date() : anchor;
  return {
    expression: `DTSTART:${ruleDate(first)}\nRRULE:FREQ=MINUTELY;INTERVAL=${every}`,
    zone: 'UTC',
    missed: 'once',
  };
}

/** Translates the schedule of a row. Its first run is one interval after `since`: what was just set does not begin at once. */
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

/** Whether two expressions mean the same but for the date from which an interval counts. */
export function isSameRule(one: string, other: string): boolean {
  const rule = (text: string) => text.replace(/^DTSTART:\S+\n/, '');
  return rule(one) === rule(other);
}

function localZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}
