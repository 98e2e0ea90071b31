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

/**
 * Keeps the Escape that discards the text of an input method from dialogs and menus, which would
 * close. Safari sends it after the end of the composition, where the libraries take it for a key of
 * the page. `page` is the window: the first listener there hears the key before all others.
 */
export function leaveEscapeToInputMethods(page: Window, signal?: AbortSignal): void {
  page.addEventListener(
    'keydown',
    (event) => {
      if (event.key === 'Escape' && event.keyCode === INPUT_METHOD_KEY)
        event.stopImmediatePropagation();
    },
    { capture: true, ...(signal && { signal }) },
  );
}

/** Returns true for an Enter that no input method took. */
export const isEnter = (event: KeyboardEvent | ReactKeyboardEvent): boolean =>
  event.key === 'Enter' && !isComposing(event);
