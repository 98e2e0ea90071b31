import {
  type Circumstances,
  type ConditionTerms,
  isWithinHours,
  nextHoursChange,
  WEEKDAYS,
} from '@sallyport/contract';
import { runs } from '@sallyport/property-runs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { GrantedAccount, RuleGrant } from './accounts.ts';
import { joinReasons, judge, needsFactorTime } from './conditions.ts';

const MINUTE = 60_000;
const at = (iso: string) => new Date(iso).getTime();

const ALWAYS: ConditionTerms = {
  name: 'always',
  networks: [],
  networks_excluded: false,
  hours: [],
  time_zone: 'UTC',
  hours_excluded: false,
  valid_from: null,
  valid_until: null,
  period_excluded: false,
  factor_minutes: 0,
  factor_excluded: false,
  clients: 0,
  clients_excluded: false,
};

const grant = (rule: string, mask: number, terms: Partial<ConditionTerms> | null): RuleGrant => ({
  rule,
  mask,
  until: '2030-01-01T00:00:00+00:00',
  terms: terms && { ...ALWAYS, ...terms },
});

const accountWith = (grants: readonly RuleGrant[] | null): GrantedAccount => ({
  id: 'account',
  name: 'account',
  username: 'root',
  priority: 1,
  protocol: 'ssh',
  login_mode: 'auto',
  sftp_root: '',
  username_same_with_user: false,
  actions: ['all'],
  mask: 31,
  rules: ['one', 'two'],
  validUntil: new Date('2030-01-01T00:00:00Z'),
  grants,
});

/** Thursday noon, UTC. */
const NOON: Circumstances = {
  address: '192.0.2.1',
  client: 'web',
  now: at('2026-01-01T12:00:00Z'),
};

describe('judge', () => {
  it('returns the account unchanged when no permission has a condition', () => {
    const account = accountWith(null);
    expect(judge(account, NOON)).toEqual({
      account,
      refusals: [],
      changesAt: Number.POSITIVE_INFINITY,
    });
    expect(judge(undefined, NOON).account).toBeUndefined();
  });

  it('keeps the actions of the permissions whose conditions hold', () => {
    const night = { hours: ['Mon-Sun 00:00-06:00'] };
    const day = { hours: ['Mon-Sun 08:00-18:00'] };
    const { account, refusals, changesAt } = judge(
      accountWith([grant('one', 1, day), grant('two', 31, night)]),
      NOON,
    );
    expect(account).toMatchObject({ mask: 1, rules: ['one'], actions: ['connect'] });
    expect(account?.validUntil).toEqual(new Date('2026-01-01T18:00:00Z'));
    expect(refusals.map(({ en }) => en)).toEqual(['not now: only Mon–Sun 00:00–06:00 UTC']);
    expect(changesAt).toBe(at('2026-01-01T18:00:00Z'));
  });

  it('returns the end of access after successive permissions', () => {
    const morning = grant('one', 1, { hours: ['Mon-Sun 08:00-18:00'] });
    const evening = grant('two', 1, { hours: ['Mon-Sun 18:00-20:00'] });
    const { account } = judge(accountWith([morning, evening]), NOON);
    expect(account?.validUntil).toEqual(new Date('2026-01-01T20:00:00Z'));
    const other = judge(accountWith([morning, grant('two', 1, null)]), NOON);
    expect(other.account?.validUntil).toEqual(new Date('2030-01-01T00:00:00Z'));
  });

  it('denies when all conditions fail or are unreadable', () => {
    const unreadable = grant('one', 31, { hours: ['always'], hours_excluded: true });
    const elsewhere = grant('two', 31, {
      networks: [{ name: 'Office', networks: ['10.0.0.0/8'] }],
    });
    const { account, refusals } = judge(accountWith([unreadable, elsewhere]), NOON);
    expect(account).toBeUndefined();
    expect(joinReasons([...refusals, ...refusals]).en).toBe(
      'the condition cannot be read; not from this network: only Office (10.0.0.0/8)',
    );
  });

  it('requires the time of the second factor only for a negated part', () => {
    expect(needsFactorTime(accountWith([grant('one', 1, { factor_minutes: 5 })]))).toBe(false);
    const negated = { factor_minutes: 5, factor_excluded: true };
    expect(needsFactorTime(accountWith([grant('one', 1, negated)]))).toBe(true);
  });
});

describe('hours of the week', () => {
  it('finds the same change as a search minute by minute', () => {
    const zones = ['Asia/Shanghai', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe'];
    const hours = fc
      .record({
        firstDay: fc.nat(6),
        days: fc.nat(6),
        from: fc.nat(95),
        length: fc.integer({ min: 1, max: 96 }),
      })
      .map(({ firstDay, days, from, length }) => ({
        firstDay,
        lastDay: Math.min(firstDay + days, WEEKDAYS.length - 1),
        from: from * 15,
        to: Math.min((from + length) * 15, 1440),
      }));
    const start = at('2026-01-01T00:00Z') / MINUTE;
    fc.assert(
      fc.property(
        fc.array(hours, { minLength: 1, maxLength: 3 }),
        fc.constantFrom(...zones),
        fc.integer({ min: start, max: start + 365 * 24 * 60 }),
        (week, zone, minute) => {
          const moment = minute * MINUTE;
          const isWithin = isWithinHours(week, zone, moment);
          const next = nextHoursChange(week, zone, moment);
          const searched = Math.min(next, moment + 8 * 24 * 60 * MINUTE);
          for (let time = moment; time < searched; time += 15 * MINUTE)
            expect(isWithinHours(week, zone, time)).toBe(isWithin);
          if (Number.isFinite(next)) {
            expect(isWithinHours(week, zone, next - 1)).toBe(isWithin);
            expect(isWithinHours(week, zone, next)).toBe(!isWithin);
          }
        },
      ),
      runs(80),
    );
  });
});
