import { useEffect, useEffectEvent } from 'react';
import type { ReplayEngine } from './replay-engine.ts';
import { besideSpeed, type ReplayKey, replayKeyOf } from './replay-keys.ts';

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
