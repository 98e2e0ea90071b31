import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { databaseClock } from '../../platform/clock.ts';
import { Deadlines, SessionTimers } from './session-timers.ts';

const LIMITS = { idleMinutes: 30, maximumHours: 24 };

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('the time limits of sessions', () => {
  const MINUTE = 60_000;
  const begin = (limits = LIMITS) => {
    const ended: string[] = [];
    const timers = new SessionTimers(limits, {
      end: (code) => {
        ended.push(code);
        timers.stop();
      },
    });
    return { timers, ended };
  };

  it('uses one timer for all sessions', () => {
    const sessions = Array.from({ length: 3 }, () => begin());
    expect(vi.getTimerCount()).toBe(1);
    for (const { timers } of sessions) timers.stop();
    expect(vi.getTimerCount()).toBe(0);
  });

  it('ends a session that was idle for too long, counted from its last activity', () => {
    const { timers, ended } = begin();
    vi.advanceTimersByTime(20 * MINUTE);
    timers.active();
    vi.advanceTimersByTime(30 * MINUTE - 1);
    expect(ended).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(ended).toEqual(['session_idle']);
  });

  it('ends an active session at its maximum length, which a change of settings moves', () => {
    const { timers, ended } = begin();
    timers.limits({ idleMinutes: 30, maximumHours: 1 });
    for (let minute = 0; minute < 60; minute++) {
      expect(ended).toEqual([]);
      timers.active();
      vi.advanceTimersByTime(MINUTE);
    }
    expect(ended).toEqual(['session_too_long']);
  });

  it('starts no timer after the end, even when settings change later', () => {
    const { timers } = begin();
    timers.stop();
    timers.limits(LIMITS);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('deadlines', () => {
  const DAY = 86_400_000;
  const after = (milliseconds: number) => databaseClock.now() + milliseconds;

  it('runs each owner at its time, with one timer for all', () => {
    const deadlines = new Deadlines();
    const ran: string[] = [];
    const owners = ['late', 'early', 'moved', 'deleted', 'never'].map((name) => ({ name }));
    const [late = {}, early = {}, moved = {}, deleted = {}, never = {}] = owners;
    deadlines.set(late, after(40 * DAY), () => ran.push('late'));
    deadlines.set(early, after(1000), () => ran.push('early'));
    deadlines.set(moved, after(500), () => ran.push('first'));
    deadlines.set(moved, after(2000), () => ran.push('moved'));
    deadlines.set(deleted, after(100), () => ran.push('deleted'));
    deadlines.set(never, Number.POSITIVE_INFINITY, () => ran.push('never'));
    deadlines.delete(deleted);
    expect(vi.getTimerCount()).toBe(1);
    vi.advanceTimersByTime(999);
    expect(ran).toEqual([]);
    vi.advanceTimersByTime(1001);
    expect(ran).toEqual(['early', 'moved']);
    vi.advanceTimersByTime(40 * DAY);
    expect(ran).toEqual(['early', 'moved', 'late']);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('runs a deadline in the past at once, and lets it set the next one', () => {
    const deadlines = new Deadlines();
    let runs = 0;
    const again = () => {
      runs += 1;
      if (runs < 3) deadlines.set(deadlines, after(10), again);
    };
    deadlines.set(deadlines, after(-5), again);
    vi.advanceTimersByTime(20);
    expect(runs).toBe(3);
    deadlines.set(deadlines, after(10), again);
    deadlines.delete(deadlines);
    expect(vi.getTimerCount()).toBe(0);
  });
});
