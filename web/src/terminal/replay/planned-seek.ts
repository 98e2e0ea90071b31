import type { KeyFrame, Playable } from '../../kit/recording/playable.ts';

/** A piece of output. The player uses only its length. */
export interface Measured {
  readonly length: number;
}

/** A seek is drawn in batches of this many characters or bytes, which keeps the page responsive. */
export const MOST = 256 * 1024;

/** A seek forward over more output than this looks for a key frame or a shortcut. */
const FAR = 4 * MOST;

interface PlannedSeek<Piece> {
  /** Starts from an empty screen. */
  readonly reset: boolean;
  /** The screen to draw before all events up to the target. */
  readonly keyFrame?: KeyFrame<Piece>;
  /** The events to draw; undefined to draw all events up to the target. */
  readonly events?: readonly number[] | undefined;
}

/**
 * Plans a seek from the state after `drawn` events to that after `target`: the events between the
 * two pictures, a key frame, a shortcut from an empty screen, or all events. A shortcut forward
 * must save half of the output.
 */
export function plannedSeek<Piece extends Measured>(
  recording: Playable<Piece>,
  drawn: number,
  target: number,
): PlannedSeek<Piece> {
  const lengthOf = (index: number) => recording.lengths[index] ?? 0;
  const weightOf = (events: readonly number[]) =>
    events.reduce((sum, index) => sum + lengthOf(index), 0);
  const weight = (from: number, until: number) => {
    let sum = 0;
    for (let index = from; index < until; index++) sum += lengthOf(index);
    return sum;
  };
  const isBack = target < drawn;
  if (!isBack && weight(drawn, target) <= FAR) return { reset: false };
  const keyFrame = recording.keyFrame?.(target);
  if (keyFrame && (isBack || keyFrame.next > drawn)) return { reset: true, keyFrame };
  const saves = (events: readonly number[]) =>
    isBack || 2 * weightOf(events) < weight(drawn, target);
  // The events from the current picture to the target need no reset of the screen.
  const across = drawn <= recording.events.length ? recording.across?.(drawn, target) : undefined;
  if (across && saves(across)) return { reset: false, events: across };
  const events = recording.shortcut?.(target);
  if (isBack || (events && saves(events))) return { reset: true, events };
  return { reset: false };
}
