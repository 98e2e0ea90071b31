import type { PermissionSummary } from '@sallyport/contract';
import { describe, expect, it } from 'vitest';
import { grantsNothingBecause, limitOf, sentenceOf } from './sentence.ts';
import { extended } from './validity-actions.ts';

const NONE = { count: 0, names: [] };
const SUMMARY: PermissionSummary = {
  users: NONE,
  user_groups: { count: 1, names: ['Operations'] },
  assets: NONE,
  nodes: { count: 1, names: ['East'] },
  system_users: { count: 2, names: ['deploy', 'ops'] },
  people: 6,
  reached: 37,
  unoffered: [],
};
const NOW = new Date('2026-11-20T12:00:00Z');
const TERMS = { actions: ['all'], is_active: true, date_expired: '2026-11-30 12:00:00 +0000' };

describe('a permission as a sentence', () => {
  it('states users, targets, accounts, actions and end of a permission', () => {
    const text = sentenceOf(SUMMARY, TERMS, NOW);
    for (const part of ['Operations', '6', 'East', '37', 'deploy', 'ops', '10'])
      expect(text).toContain(part);
    expect(text).not.toMatch(/[{}]/);
  });

  it('names the protocols of system users that no asset offers', () => {
    const some = [{ protocol: 'vnc', accounts: { count: 1, names: ['ops'] } }];
    const text = sentenceOf({ ...SUMMARY, unoffered: some }, TERMS, NOW);
    expect(text).toContain('vnc');
    expect(text.match(/ops/g)).toHaveLength(2);
    expect(grantsNothingBecause({ ...SUMMARY, unoffered: some }, TERMS, NOW)).toBe('');
    const all = [...some, { protocol: 'telnet', accounts: { count: 1, names: ['deploy'] } }];
    const warning = grantsNothingBecause({ ...SUMMARY, unoffered: all }, TERMS, NOW);
    expect(warning).toContain('vnc');
    expect(warning).toContain('telnet');
    expect(warning).not.toMatch(/[{}]/);
  });

  it('names the condition and its parts', () => {
    const office = { name: 'Office hours', sentence: 'Mon–Fri 08:00–18:00 UTC' };
    expect(limitOf(office)).toContain(office.name);
    expect(limitOf(office)).toContain(office.sentence);
    expect(limitOf({ ...office, sentence: '' })).toContain(office.name);
  });

  it('shortens long lists of names', () => {
    const users = { count: 12, names: ['Ann', 'Ben', 'Cho'] };
    const text = sentenceOf({ ...SUMMARY, users, user_groups: NONE }, TERMS, NOW);
    expect(text).toContain('Ann');
    expect(text).not.toContain('Cho');
    expect(text).toMatch(/1[02]/);
  });

  it.each(['2026-11-20 12:00:01 +0000', '2026-11-27T12:00:00.000Z', '2026-11-27 20:00:00 +0800'])(
    'begins with the start of a permission that starts at %s',
    (date_start) => {
      const later = sentenceOf(SUMMARY, { ...TERMS, date_start }, NOW);
      expect(later).toContain(sentenceOf(SUMMARY, TERMS, NOW));
      expect(later).toMatch(/11\D2[078]/);
      expect(later).not.toMatch(/[{}]/);
      expect(grantsNothingBecause(SUMMARY, { ...TERMS, date_start }, NOW)).toBe('');
    },
  );

  it.each(['', '2026-11-20 12:00:00 +0000', 'soon'])(
    'omits the start %j, which is not later than now',
    (date_start) =>
      expect(sentenceOf(SUMMARY, { ...TERMS, date_start }, NOW)).toBe(
        sentenceOf(SUMMARY, TERMS, NOW),
      ),
  );

  it('warns with every reason when a permission grants nothing, and only then', () => {
    expect(grantsNothingBecause(SUMMARY, TERMS, NOW)).toBe('');
    const reasons = [
      grantsNothingBecause({ ...SUMMARY, people: 0 }, TERMS, NOW),
      grantsNothingBecause({ ...SUMMARY, reached: 0 }, TERMS, NOW),
      grantsNothingBecause({ ...SUMMARY, system_users: NONE }, TERMS, NOW),
      grantsNothingBecause(SUMMARY, { ...TERMS, actions: [] }, NOW),
      grantsNothingBecause(SUMMARY, { ...TERMS, is_active: false }, NOW),
      grantsNothingBecause(SUMMARY, { ...TERMS, date_expired: '2026-11-19 12:00:00 +0000' }, NOW),
    ];
    expect(new Set(reasons).size).toBe(reasons.length);
    expect(reasons).not.toContain('');
  });
});

it('extends a permission from its end, or from now when the end has passed', () => {
  expect(extended('2026-11-30 12:00:00 +0000', 7, NOW).toISOString()).toBe(
    '2026-12-07T12:00:00.000Z',
  );
  expect(extended('2026-11-01 12:00:00 +0000', 1, NOW).toISOString()).toBe(
    '2026-11-21T12:00:00.000Z',
  );
});
