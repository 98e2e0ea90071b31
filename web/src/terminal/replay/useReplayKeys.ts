import { useEffect, useEffectEvent } from 'react';
import { type ReplayEngine, SPEEDS } from './replay-engine.ts';

type ReplayKey =
  | { readonly kind: 'toggle' }
  | { readonly kind: 'by'; readonly seconds: number }
  | { readonly kind: 'share'; readonly share: number }
  | { readonly kind: 'speed'; readonly by: 1 | -1 }
  | { readonly kind: 'command'; readonly by: 1 | -1 }
  | { readonly kind: 'full' }
  | { readonly kind: 'search' };

const SHORT_JUMP = 5;
const LONG_JUMP = 30;

type Keys = Pick<KeyboardEvent, 'key' | 'shiftKey' | 'ctrlKey' | 'altKey' | 'metaKey'>;

/** Returns the player's action for a key, or null. The caller excludes keys typed into a field. */
export function replayKeyOf({ key, shiftKey, ctrlKey, altKey, metaKey }: Keys): ReplayKey | null {
  if (ctrlKey || altKey || metaKey) return null;
  const jump = shiftKey ? LONG_JUMP : SHORT_JUMP;
  if (/^[0-9]$/.test(key)) return { kind: 'share', share: Number(key) / 10 };
  switch (key) {
    case ' ':
    case 'k':
      return { kind: 'toggle' };
    case 'ArrowLeft':
      return { kind: 'by', seconds: -jump };
    case 'ArrowRight':
      return { kind: 'by', seconds: jump };
    case 'Home':
      return { kind: 'share', share: 0 };
    case 'End':
      return { kind: 'share', share: 1 };
    case '<':
    case ',':
      return { kind: 'speed', by: -1 };
    case '>':
    case '.':
      return { kind: 'speed', by: 1 };
    case '[':
      return { kind: 'command', by: -1 };
    case ']':
      return { kind: 'command', by: 1 };
    case 'f':
      return { kind: 'full' };
    case '/':
      return { kind: 'search' };
    default:
      return null;
  }
}

/** Returns the next faster or slower speed; the fastest and slowest stay as they are. */
export function besideSpeed(speed: number, by: 1 | -1): number {
  const speeds: readonly number[] = SPEEDS;
  return speeds[speeds.indexOf(speed) + by] ?? speed;
}

function isField(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    target.matches(
      'input:not([type="range"]):not([type="checkbox"]), textarea, select, [role="menuitem"]',
    )
  );
}

/** Actions of the player's keys other than playback and seeking. */
interface ReplayKeyActions {
  full(): void;
  /** Seeks to the next command or the previous one. */
  command?(by: 1 | -1): void;
  search?(): void;
}

/** Handles the player's keys, except in a field or on a focused button. */
export function useReplayKeys(engine: ReplayEngine, actions: ReplayKeyActions): void {
  const act = (key: ReplayKey): void => {
    const { playing, position, duration, speed } = engine.snapshot();
    if (key.kind === 'toggle') engine[playing ? 'pause' : 'play']();
    else if (key.kind === 'by') engine.seek(position + key.seconds);
    else if (key.kind === 'share') engine.seek(duration * key.share);
    else if (key.kind === 'speed') engine.setSpeed(besideSpeed(speed, key.by));
    else if (key.kind === 'command') actions.command?.(key.by);
    else actions[key.kind]?.();
  };
  const hear = useEffectEvent((event: KeyboardEvent) => {
    const key = isField(event.target) ? null : replayKeyOf(event);
    // Space presses the focused button, as in every page.
    if (!key || (key.kind === 'toggle' && event.target instanceof HTMLButtonElement)) return;
    event.preventDefault();
    act(key);
  });
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => hear(event);
    window.addEventListener('keydown', onKeyDown);
    return () => window.removeEventListener('keydown', onKeyDown);
  }, []);
}
