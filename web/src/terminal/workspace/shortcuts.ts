import type { LocalText } from '@sallyport/contract';
import { settingsWords } from '../words/workspace.ts';

export type ShortcutAction =
  | 'find'
  | 'copy'
  | 'paste'
  | 'next'
  | 'previous'
  | 'duplicate'
  | 'close'
  | 'reconnect'
  | 'panel'
  | 'search'
  | 'larger'
  | 'smaller'
  | 'help';

interface Shortcut {
  readonly action: ShortcutAction;
  readonly code: string;
  /** The key as people know it. */
  readonly key: string;
  readonly label: LocalText;
}

/** Everything with Ctrl+Shift: what a shell or a program in it never gets to see. */
export const SHORTCUTS: readonly Shortcut[] = [
  { action: 'find', code: 'KeyF', key: 'F', label: settingsWords.keyFind },
  { action: 'copy', code: 'KeyC', key: 'C', label: settingsWords.keyCopy },
  { action: 'paste', code: 'KeyV', key: 'V', label: settingsWords.keyPaste },
  { action: 'next', code: 'ArrowRight', key: '→', label: settingsWords.keyNext },
  { action: 'previous', code: 'ArrowLeft', key: '←', label: settingsWords.keyPrevious },
  { action: 'duplicate', code: 'KeyD', key: 'D', label: settingsWords.keyDuplicate },
  { action: 'close', code: 'KeyX', key: 'X', label: settingsWords.keyClose },
  { action: 'reconnect', code: 'Enter', key: 'Enter', label: settingsWords.keyReconnect },
  { action: 'panel', code: 'KeyB', key: 'B', label: settingsWords.keyPanel },
  { action: 'search', code: 'KeyE', key: 'E', label: settingsWords.keySearch },
  { action: 'larger', code: 'ArrowUp', key: '↑', label: settingsWords.keyLarger },
  { action: 'smaller', code: 'ArrowDown', key: '↓', label: settingsWords.keySmaller },
  { action: 'help', code: 'Slash', key: '/', label: settingsWords.keyHelp },
];

type Keys = Pick<KeyboardEvent, 'code' | 'ctrlKey' | 'shiftKey' | 'altKey' | 'metaKey'>;

/** What a key press asks for: an action, the number of a tab, or nothing of ours. */
export function shortcutOf(event: Keys): ShortcutAction | number | null {
  if (!event.ctrlKey || !event.shiftKey || event.altKey || event.metaKey) return null;
  const digit = /^Digit([1-9])$/.exec(event.code)?.[1];
  if (digit) return Number(digit);
  return SHORTCUTS.find(({ code }) => code === event.code)?.action ?? null;
}
