import { useEffect, useEffectEvent } from 'react';
import { shortcutOf } from './shortcuts.ts';

/**
 * Hears the shortcuts of the window before the terminal does. `act` answers whether it took the
 * key.
 */
export function useShortcuts(
  act: (wanted: NonNullable<ReturnType<typeof shortcutOf>>) => boolean,
): void {
  const decide = useEffectEvent(act);
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const shortcut = shortcutOf(event);
      // In a dialog the keys are the dialog's.
      const inDialog =
        event.target instanceof Element && event.target.closest('dialog, [role="dialog"]') !== null;
      // A desktop gets every key; the way out is its own.
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
