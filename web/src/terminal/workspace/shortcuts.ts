import type { LocalText } from '@sallyport/contract';
import { useEffect, useEffectEvent } from 'react';
import { words } from './words.ts';

export type ShortcutAction =
  | 'find'
  | 'copy'
  | 'paste'
  | 'next'
  | 'previous'
  | 'duplicate'
  | 'split'
  | 'together'
  | 'close'
  | 'reopen'
  | 'reconnect'
  | 'panel'
  | 'search'
  | 'palette'
  | 'snippets'
  | 'larger'
  | 'smaller'
  | 'help';

interface Shortcut {
  readonly action: ShortcutAction;
  readonly code: string;
  /** Label of the key. */
  readonly key: string;
  readonly label: LocalText;
}

/** All shortcuts use Ctrl+Shift, which shells and their programs do not receive. */
export const SHORTCUTS: readonly Shortcut[] = [
  { action: 'find', code: 'KeyF', key: 'F', label: words.keyFind },
  { action: 'copy', code: 'KeyC', key: 'C', label: words.keyCopy },
  { action: 'paste', code: 'KeyV', key: 'V', label: words.keyPaste },
  { action: 'next', code: 'ArrowRight', key: '→', label: words.keyNext },
  { action: 'previous', code: 'ArrowLeft', key: '←', label: words.keyPrevious },
  { action: 'duplicate', code: 'KeyD', key: 'D', label: words.keyDuplicate },
  { action: 'split', code: 'KeyS', key: 'S', label: words.keySplit },
  { action: 'together', code: 'KeyA', key: 'A', label: words.keyTogether },
  { action: 'close', code: 'KeyX', key: 'X', label: words.keyClose },
  { action: 'reopen', code: 'KeyZ', key: 'Z', label: words.keyReopen },
  { action: 'reconnect', code: 'Enter', key: 'Enter', label: words.keyReconnect },
  { action: 'panel', code: 'KeyB', key: 'B', label: words.keyPanel },
  { action: 'search', code: 'KeyE', key: 'E', label: words.keySearch },
  { action: 'palette', code: 'KeyK', key: 'K', label: words.keyPalette },
  { action: 'snippets', code: 'KeyL', key: 'L', label: words.keySnippets },
  { action: 'larger', code: 'ArrowUp', key: '↑', label: words.keyLarger },
  { action: 'smaller', code: 'ArrowDown', key: '↓', label: words.keySmaller },
  { action: 'help', code: 'Slash', key: '/', label: words.keyHelp },
];

type Keys = Pick<KeyboardEvent, 'code' | 'ctrlKey' | 'shiftKey' | 'altKey' | 'metaKey'>;

/** Returns the action or the tab number of a key press; null for other keys. */
export function shortcutOf(event: Keys): ShortcutAction | number | null {
  // Ctrl+K cuts a line in most shells; ⌘K means nothing to them.
  if (event.metaKey && event.code === 'KeyK' && !event.ctrlKey && !event.shiftKey && !event.altKey)
    return 'palette';
  if (!event.ctrlKey || !event.shiftKey || event.altKey || event.metaKey) return null;
  const digit = /^Digit([1-9])$/.exec(event.code)?.[1];
  if (digit) return Number(digit);
  return SHORTCUTS.find(({ code }) => code === event.code)?.action ?? null;
}

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
