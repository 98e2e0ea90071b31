import { SPEEDS } from './replay-engine.ts';

export type ReplayKey =
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
