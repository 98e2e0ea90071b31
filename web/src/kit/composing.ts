import type { KeyboardEvent as ReactKeyboardEvent } from 'react';

/** The number of a key that an input method took (UI Events, 7.3.1). */
export const INPUT_METHOD_KEY = 229;

/**
 * Returns true if a key belongs to an input method, as the Enter that takes its text. Safari sends
 * this Enter after the end of the composition, so its number tells, too.
 */
export function isComposing(event: KeyboardEvent | ReactKeyboardEvent): boolean {
  const native = 'nativeEvent' in event ? event.nativeEvent : event;
  return native.isComposing || native.keyCode === INPUT_METHOD_KEY;
}

/** Returns true for an Enter that no input method took. */
export const isEnter = (event: KeyboardEvent | ReactKeyboardEvent): boolean =>
  event.key === 'Enter' && !isComposing(event);
