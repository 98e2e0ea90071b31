import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clock } from '../../kit/format/format.ts';
import { countUntil } from '../../kit/recording/playable.ts';
import { activity, Timeline } from './timeline.ts';

const moments = fc
  .array(fc.double({ min: 0, max: 5000, noNaN: true }), { maxLength: 60 })
  .map((list) => list.sort((a, b) => a - b));

describe('the two scales of time', () => {
  it('shortens only pauses that are too long', () => {
    const timeline = new Timeline([1, 2, 62, 63], 2);
    expect(timeline.shown).toEqual([1, 2, 4, 5]);
    expect(timeline.duration).toBe(5);
    expect(timeline.toShown(62)).toBe(4);
    expect(timeline.toReal(3)).toBe(32);
    expect(new Timeline([1, 2, 62], null).duration).toBe(62);
  });

  it('converts a moment back to itself, and never runs backwards', () => {
    fc.assert(
      fc.property(moments, fc.double({ min: 0, max: 1, noNaN: true }), (times, share) => {
        const timeline = new Timeline(times, 2);
        const position = timeline.duration * share;
        expect(timeline.toShown(timeline.toReal(position))).toBeCloseTo(position, 6);
        expect(
          timeline.shown.every(
            (time, index) => index === 0 || time >= (timeline.shown[index - 1] ?? 0),
          ),
        ).toBe(true);
      }),
    );
  });

  it('counts the events up to a moment', () => {
    fc.assert(
      fc.property(moments, fc.double({ min: -1, max: 5001, noNaN: true }), (times, moment) => {
        expect(countUntil(times, moment)).toBe(times.filter((time) => time <= moment).length);
      }),
    );
  });

  it('returns 1 for the busiest slice and 0 for silence', () => {
    expect(activity([0, 9], [10, 1000], 10, 2)).toEqual([expect.closeTo(0.347, 2), 1]);
    expect(activity([], [], 0, 3)).toEqual([0, 0, 0]);
  });

  it('formats seconds as a clock', () => {
    expect([clock(0), clock(62.9), clock(3723)]).toEqual(['0:00', '1:02', '1:02:03']);
  });
});
