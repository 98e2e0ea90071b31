import { useEffect, useEffectEvent } from 'react';
import { isComposing } from '../composing.ts';

/** Elements in which a digit is text or selects an entry by its name. */
const TAKES_DIGITS =
  'input, textarea, select, [contenteditable]:not([contenteditable="false"]), [role="tree"], [role="listbox"], [role="menu"], [role="combobox"], [role="slider"]';

/**
 * Returns the digit from 1 to 9 of a key event. Returns undefined if a field or a list of choices
 * takes the digit, or if a dialog is open.
 */
function digitPressed(event: KeyboardEvent): number | undefined {
  if (
    !/^[1-9]$/.test(event.key) ||
    event.ctrlKey ||
    event.metaKey ||
    event.altKey ||
    event.shiftKey
  )
    return undefined;
  if (event.defaultPrevented || event.repeat || isComposing(event)) return undefined;
  if (event.target instanceof Element && event.target.closest(TAKES_DIGITS)) return undefined;
  return document.querySelector('[role="dialog"], dialog[open], [role="menu"]')
    ? undefined
    : Number(event.key);
}

/** Calls `connect` with the entry whose digit the user presses, from 1 to 9. */
export function useDigits<T>(entries: readonly T[] | undefined, connect: (entry: T) => void): void {
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    const digit = digitPressed(event);
    const entry = digit === undefined ? undefined : entries?.[digit - 1];
    if (!entry) return;
    event.preventDefault();
    connect(entry);
  });
  useEffect(() => {
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
}
