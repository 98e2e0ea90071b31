import { describe, expect, it } from 'vitest';
import { holdsMail, isMailDue, type MailTimes, parseMailTimes } from './mail-times.ts';

const times = (mode: MailTimes['mode'], from = '22:00', to = '07:00'): MailTimes => ({
  ...{ mode, from, to, zone: 'Asia/Shanghai' },
});
/** A moment of one day by the clock of Shanghai. */
const at = (clock: string) => new Date(`2026-03-10T${clock}:00+08:00`);

describe('quiet hours', () => {
  it.each([
    ['21:59', false],
    ['22:00', true],
    ['23:30', true],
    ['00:00', true],
    ['06:59', true],
    ['07:00', false],
    ['12:00', false],
  ])('holds mails overnight at %s: %s', (clock, held) => {
    expect(holdsMail(times('outside'), at(clock))).toBe(held);
    expect(isMailDue(times('outside'), at('21:00'), at(clock))).toBe(!held);
  });

  it.each([
    ['08:59', false],
    ['09:00', true],
    ['16:59', true],
    ['17:00', false],
  ])('holds mails within a day at %s: %s', (clock, held) => {
    expect(holdsMail(times('outside', '09:00', '17:00'), at(clock))).toBe(held);
  });

  it('holds nothing between equal ends', () => {
    for (const clock of ['00:00', '08:00', '08:01', '23:59'])
      expect(holdsMail(times('outside', '08:00', '08:00'), at(clock))).toBe(false);
  });
});

it('holds each mail of a daily digest until its next time', () => {
  const daily = times('daily', '00:00', '08:00');
  expect(holdsMail(daily, at('08:00'))).toBe(true);
  expect(isMailDue(daily, at('07:30'), at('07:59'))).toBe(false);
  expect(isMailDue(daily, at('07:30'), at('08:00'))).toBe(true);
  expect(isMailDue(daily, at('08:30'), at('23:00'))).toBe(false);
  expect(isMailDue(daily, at('08:30'), new Date(at('08:00').getTime() + 86_400_000))).toBe(true);
});

it.each([
  undefined,
  null,
  'daily',
  {},
  { ...times('daily'), mode: 'never' },
  { ...times('daily'), from: '24:00' },
  { ...times('daily'), to: '7:00' },
  { ...times('daily'), to: ['07:00'] },
  { ...times('daily'), zone: 'Mars/Base' },
  { ...times('daily'), zone: 8 },
])('ignores malformed wishes: %j', (value) => {
  expect(parseMailTimes(value)).toBeUndefined();
});

it('reads a wish without its other members', () => {
  expect(parseMailTimes({ ...times('daily'), more: 1 })).toEqual(times('daily'));
});
