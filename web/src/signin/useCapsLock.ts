import { type KeyboardEvent, useState } from 'react';

/** Whether Caps Lock is on, as far as the last key typed into a field tells. */
export function useCapsLock() {
  const [on, setOn] = useState(false);
  const read = (event: KeyboardEvent) => setOn(event.getModifierState('CapsLock'));
  return { on, handlers: { onKeyDown: read, onKeyUp: read, onBlur: () => setOn(false) } };
}
