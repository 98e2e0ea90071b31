import { describe, expect, it } from 'vitest';
import { besideSpeed, replayKeyOf } from './useReplayKeys.ts';

const press = (key: string, part: Partial<Parameters<typeof replayKeyOf>[0]> = {}) =>
  replayKeyOf({ key, shiftKey: false, ctrlKey: false, altKey: false, metaKey: false, ...part });

describe('the keys of the player', () => {
  it('maps keys to play, seek, speed and command steps', () => {
    expect(press(' ')).toEqual({ kind: 'toggle' });
    expect(press('ArrowLeft')).toEqual({ kind: 'by', seconds: -5 });
    expect(press('ArrowRight', { shiftKey: true })).toEqual({ kind: 'by', seconds: 30 });
    expect(press('4')).toEqual({ kind: 'share', share: 0.4 });
    expect(press('>', { shiftKey: true })).toEqual({ kind: 'speed', by: 1 });
    expect(press(']')).toEqual({ kind: 'command', by: 1 });
  });

  it('ignores shortcuts of the browser and unknown keys', () => {
    expect(press('f', { ctrlKey: true })).toBeNull();
    expect(press('ArrowLeft', { altKey: true })).toBeNull();
    expect(press('q')).toBeNull();
  });

  it('steps through the speeds and stops at both ends', () => {
    expect([besideSpeed(1, 1), besideSpeed(8, 1), besideSpeed(0.5, -1)]).toEqual([1.5, 8, 0.5]);
  });
});
