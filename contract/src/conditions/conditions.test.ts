import { describe, expect, it } from 'vitest';
import { conditionHolds, conditionSentence, failuresOf } from './judge.ts';
import { isInNetworks, isNetwork } from './networks.ts';
import type { ConditionTerms } from './terms.ts';
import {
  formatWeekHours,
  isWithinHours,
  nextHoursChange,
  parseWeekHours,
  type WeekHours,
} from './week-hours.ts';

const MINUTE = 60_000;
const at = (iso: string) => new Date(iso).getTime();
const hoursOf = (...texts: string[]) => texts.flatMap((text) => parseWeekHours(text) ?? []);

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

describe('networks', () => {
  it('accepts IPv4 and IPv6 networks and rejects others', () => {
    for (const text of ['10.0.0.0/8', '10.1.2.3', '2001:db8::/32', '::1', '::/0', '0.0.0.0/0'])
      expect(isNetwork(text), text).toBe(true);
    for (const text of ['10.0.0.0/33', '010.0.0.1', '1.2.3', '::1/129', '1::2::3', 'a', '', '/8'])
      expect(isNetwork(text), text).toBe(false);
  });

  it('matches IPv4 addresses inside IPv6 ones, and never across families', () => {
    expect(isInNetworks('::ffff:10.9.9.9', ['10.0.0.0/8'])).toBe(true);
    expect(isInNetworks('11.0.0.1', ['10.0.0.0/8'])).toBe(false);
    expect(isInNetworks('2001:db8:1::5', ['2001:db8::/32'])).toBe(true);
    expect(isInNetworks('10.0.0.1', ['::/0'])).toBe(false);
    expect(isInNetworks('nonsense', ['0.0.0.0/0', '::/0'])).toBe(false);
  });
});

describe('hours of the week', () => {
  it('rejects malformed hours and hours past midnight', () => {
    for (const text of ['Fri-Mon 08:00-09:00', 'Mon 18:00-08:00', 'Mon 08:00-24:01', 'mon 8-9'])
      expect(parseWeekHours(text), text).toBeUndefined();
    const text = 'Mon-Fri 08:00-18:00';
    expect(formatWeekHours(parseWeekHours(text) as WeekHours)).toBe(text);
  });

  it('follows daylight saving in the named zone', () => {
    const office = hoursOf('Mon-Sun 08:00-18:00');
    // Berlin is UTC+1 until 29 March 2026, 01:00 UTC.
    expect(nextHoursChange(office, 'Europe/Berlin', at('2026-03-28T20:00Z'))).toBe(
      at('2026-03-29T06:00Z'),
    );
    expect(nextHoursChange(office, 'Europe/Berlin', at('2026-03-27T20:00Z'))).toBe(
      at('2026-03-28T07:00Z'),
    );
    // The wall clock jumps from 02:00 to 03:00, over both boundaries.
    const skipped = hoursOf('Sun 02:15-02:45');
    expect(isWithinHours(skipped, 'Europe/Berlin', at('2026-03-29T01:15Z'))).toBe(false);
    expect(nextHoursChange(skipped, 'Europe/Berlin', at('2026-03-29T00:30Z'))).toBe(
      at('2026-04-05T00:15Z'),
    );
    // It reads 02:30 twice on 25 October.
    const twice = hoursOf('Sun 02:00-02:30');
    expect(nextHoursChange(twice, 'Europe/Berlin', at('2026-10-25T00:10Z'))).toBe(
      at('2026-10-25T00:30Z'),
    );
    expect(nextHoursChange(twice, 'Europe/Berlin', at('2026-10-25T00:30Z'))).toBe(
      at('2026-10-25T01:00Z'),
    );
  });

  it('reports no change for a whole week of hours', () => {
    expect(nextHoursChange(hoursOf('Mon-Sun 00:00-24:00'), 'UTC', at('2026-01-01T00:00Z'))).toBe(
      Number.POSITIVE_INFINITY,
    );
  });
});

describe('conditions', () => {
  const office = { name: 'Office', networks: ['10.0.0.0/8'] };
  const now = at('2026-01-03T09:00Z');
  const here = { address: '10.1.1.1', client: 'web', now } as const;
  const refused = (terms: Partial<ConditionTerms>, other: object = {}) =>
    failuresOf({ ...ALWAYS, ...terms }, { ...here, ...other }).map(({ en }) => en);

  it('holds without parts', () => {
    expect(refused({})).toEqual([]);
    expect(refused({}, { address: null, client: null })).toEqual([]);
  });

  it('explains each part that does not hold', () => {
    expect(refused({ networks: [office] })).toEqual([]);
    expect(refused({ networks: [office] }, { address: '192.0.2.1' })).toEqual([
      'not from this network: only Office (10.0.0.0/8)',
    ]);
    expect(refused({ hours: ['Mon-Fri 08:00-18:00'], time_zone: 'Asia/Shanghai' })).toEqual([
      'not now: only Mon–Fri 08:00–18:00 Asia/Shanghai',
    ]);
    expect(refused({ clients: 2 })).toEqual(['not with this client: only SSH client']);
    expect(refused({ valid_until: '2026-01-02T00:00:00+00:00' })).toEqual([
      'not now: only until 2026-01-02 00:00 UTC',
    ]);
    expect(refused({ clients: 2, networks: [office] }, { address: '192.0.2.1' })).toHaveLength(2);
  });

  it('negates each part', () => {
    const except = (terms: Partial<ConditionTerms>, other?: object) => refused(terms, other).length;
    expect(except({ networks: [office], networks_excluded: true })).toBe(1);
    expect(except({ networks: [office], networks_excluded: true }, { address: '::1' })).toBe(0);
    expect(except({ hours: ['Sat 00:00-24:00'], hours_excluded: true })).toBe(1);
    expect(except({ clients: 1, clients_excluded: true })).toBe(1);
    expect(except({ clients: 1, clients_excluded: true }, { client: 'ssh' })).toBe(0);
    const period = { valid_from: '2026-01-01T00:00:00Z', period_excluded: true };
    expect(except(period)).toBe(1);
    const factor = { factor_minutes: 5, factor_excluded: true };
    expect(except(factor, { factorAt: now - MINUTE })).toBe(1);
    expect(except(factor, { factorAt: null })).toBe(0);
  });

  it('limits the ports of forwarded connections, and nothing else', () => {
    const terms = { ports: ['22', '8000-8100'] };
    for (const port of [22, 8000, 8100])
      expect(refused(terms, { forwardPort: port }), `${port}`).toEqual([]);
    for (const port of [21, 7999, 8101])
      expect(refused(terms, { forwardPort: port }), `${port}`).toEqual([
        'not to this port: only ports 22, 8000–8100',
      ]);
    const except = { ...terms, ports_excluded: true };
    expect(refused(except, { forwardPort: 8050 })).toHaveLength(1);
    expect(refused(except, { forwardPort: 23 })).toEqual([]);
    for (const other of [terms, except]) expect(refused(other)).toEqual([]);
  });

  it('denies what it cannot know', () => {
    for (const networks_excluded of [false, true])
      expect(refused({ networks: [office], networks_excluded }, { address: null })).toHaveLength(1);
    for (const clients_excluded of [false, true])
      expect(refused({ clients: 1, clients_excluded }, { client: null })).toHaveLength(1);
    expect(refused({ factor_minutes: 5, factor_excluded: true })).toHaveLength(1);
    // The gateway asks for the second factor itself.
    expect(refused({ factor_minutes: 5 })).toHaveLength(0);
  });

  it('denies what this version cannot read', () => {
    const unreadable: readonly Partial<ConditionTerms>[] = [
      { hours: ['Mon-Fri 8-18'], hours_excluded: true },
      { hours: ['Mon-Sun 00:00-24:00'], time_zone: 'Mars/Olympus' },
      { networks: [{ name: 'x', networks: ['10.0.0.0/99'] }], networks_excluded: true },
      { networks: [{ name: 'x', networks: [] }], networks_excluded: true },
      { valid_until: 'tomorrow', period_excluded: true },
      { clients: 16, clients_excluded: true },
      { ports: ['22-21'], ports_excluded: true },
    ];
    for (const terms of unreadable)
      expect(refused(terms), JSON.stringify(terms)).toEqual(['the condition cannot be read']);
    const empty = JSON.parse('{}') as ConditionTerms;
    expect(failuresOf(empty, here)).toHaveLength(1);
    expect(conditionSentence(empty).en).toBe('the condition cannot be read');
  });

  it('tells what is unknown from what fails, for callers that must decide either way', () => {
    const holds = (terms: Partial<ConditionTerms>, other: object = {}) =>
      conditionHolds({ ...ALWAYS, ...terms }, { ...here, ...other });
    expect(holds({ networks: [office] })).toBe(true);
    expect(holds({ networks: [office] }, { address: 'fe80::1%eth0' })).toBe(false);
    for (const networks_excluded of [false, true])
      expect(holds({ networks: [office], networks_excluded }, { address: null })).toBeUndefined();
    expect(holds({ clients: 1 }, { client: null })).toBeUndefined();
    expect(holds({ factor_minutes: 5 })).toBeUndefined();
    expect(holds({ factor_minutes: 5 }, { factorAt: now })).toBe(true);
    expect(holds({ factor_minutes: 5, clients: 2 })).toBe(false);
    expect(holds({ hours: ['always'] })).toBeUndefined();
  });

  it('says what it means in both languages', () => {
    const terms = {
      ...ALWAYS,
      networks: [office],
      hours: ['Mon-Fri 08:00-18:00'],
      time_zone: 'Asia/Shanghai',
      clients: 1,
      clients_excluded: true,
    };
    expect(conditionSentence(terms)).toEqual({
      en: 'Office (10.0.0.0/8); Mon–Fri 08:00–18:00 Asia/Shanghai; not Web',
      zh: 'Office（10.0.0.0/8）；周一–周五 08:00–18:00（Asia/Shanghai）；不含网页',
    });
  });
});
