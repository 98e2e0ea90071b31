import { type KeyboardEvent, useState } from 'react';

/** Tracks Caps Lock by the last key event of a field. */
export function useCapsLock() {
  const [on, setOn] = useState(false);
  const read = (event: KeyboardEvent) => setOn(event.getModifierState('CapsLock'));
  return { on, handlers: { onKeyDown: read, onKeyUp: read, onBlur: () => setOn(false) } };
}
