import { BACKSPACE, type Key, keyOf, typedKeys } from './keys.ts';
import { ANCHOR, changeOf } from './typed-text.ts';

/**
 * Presses keys for texts that an input method, dictation or an on-screen keyboard writes into a
 * field, and keeps the field empty, until `signal` aborts. A composed text is pressed when it is
 * complete.
 */
export function takeText(
  field: HTMLInputElement | HTMLTextAreaElement,
  press: (keys: readonly Key[]) => void,
  signal: AbortSignal,
): void {
  let sent = ANCHOR;
  let isComposing = false;
  const empty = () => {
    field.value = ANCHOR;
    sent = ANCHOR;
  };
  const send = () => {
    const { erased, text } = changeOf(sent, field.value);
    sent = field.value;
    for (let count = 0; count < erased; count += 1) press([BACKSPACE]);
    for (const key of typedKeys(text)) press([key]);
    // Later: an input method that is not finished with the field would write its text twice.
    setTimeout(() => {
      if (!isComposing && field.value === sent) empty();
    });
  };
  empty();
  const hear = (kind: string, act: (event: Event) => void) =>
    field.addEventListener(kind, act, { signal });
  hear('compositionstart', () => {
    isComposing = true;
  });
  hear('compositionend', () => {
    isComposing = false;
    send();
  });
  hear('input', () => {
    if (!isComposing) send();
  });
  // Some on-screen keyboards send no key for Enter.
  hear('beforeinput', (event) => {
    if (!(event instanceof InputEvent) || event.inputType !== 'insertLineBreak') return;
    event.preventDefault();
    press([keyOf('\n')]);
  });
}
