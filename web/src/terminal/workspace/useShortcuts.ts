import { useEffect, useEffectEvent } from 'react';
import { shortcutOf } from './shortcuts.ts';

/**
 * Handles the shortcuts of the window before the terminal. `act` returns true if it handled the
 * key.
 */
export function useShortcuts(
  act: (wanted: NonNullable<ReturnType<typeof shortcutOf>>) => boolean,
): void {
  const decide = useEffectEvent(act);
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const shortcut = shortcutOf(event);
      // A dialog handles its own keys.
      const inDialog =
        event.target instanceof Element && event.target.closest('dialog, [role="dialog"]') !== null;
      // A desktop receives every key, and has its own key to leave it.
      const inDesktop =
        event.target instanceof Element && event.target.closest('[data-desktop]') !== null;
      if (shortcut === null || inDialog || inDesktop || !decide(shortcut)) return;
      event.preventDefault();
      event.stopPropagation();
    };
    window.addEventListener('keydown', onKeyDown, { capture: true });
    return () => window.removeEventListener('keydown', onKeyDown, { capture: true });
  }, []);
}
