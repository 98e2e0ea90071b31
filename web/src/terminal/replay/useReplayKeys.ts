import { useEffect, useEffectEvent } from 'react';
import { type ReplayKey, replayKeyOf } from './replay-keys.ts';

function isField(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches('input:not([type="range"]):not([type="checkbox"]), textarea, select, [role="menuitem"]');
}

/** Hears the keys of a player, except where they belong to a field or a button. */
export function useReplayKeys(act: (key: ReplayKey) => void): void {
  const hear = useEffectEvent((event: KeyboardEvent) => {
    const key = isField(event.target) ? null : replayKeyOf(event);
    // Space presses the button that has the keyboard, as everywhere.
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
