import { type KeyboardEvent, useEffect, useRef } from 'react';
import { isComposing } from '../../kit/composing.ts';
import { t } from '../../kit/i18n/index.ts';
import styles from './Desktop.module.css';
import type { DesktopTab } from './desktop-tab.ts';
import { type Key, keyOf } from './keys.ts';
import { ANCHOR, changeOf } from './typed-text.ts';
import { words } from './words.ts';

const BACKSPACE: Key = [0xff08, 'Backspace'];
const ENTER = keyOf('\n');

/**
 * A field that opens the keyboard of a phone. Each character goes to the desktop as a key; a text
 * of an input method goes when it is complete.
 */
export function TypingField({ desktop }: { readonly desktop: DesktopTab }) {
  const fieldRef = useRef<HTMLInputElement>(null);
  const sent = useRef(ANCHOR);
  const composing = useRef(false);

  function send(field: HTMLInputElement): void {
    const { erased, text } = changeOf(sent.current, field.value);
    sent.current = field.value;
    for (let count = 0; count < erased; count += 1) desktop.press([BACKSPACE]);
    for (const character of text) desktop.press([keyOf(character)]);
    // Later: an input method that is not finished with the field would write its text twice.
    setTimeout(() => {
      if (!composing.current && field.value === sent.current) empty(field);
    });
  }
  function empty(field: HTMLInputElement): void {
    field.value = ANCHOR;
    sent.current = ANCHOR;
  }
  function onKeyDown(event: KeyboardEvent<HTMLInputElement>): void {
    if (isComposing(event) || (event.key !== 'Backspace' && event.key !== 'Enter')) return;
    event.preventDefault();
    desktop.press([event.key === 'Enter' ? ENTER : BACKSPACE]);
  }
  useEffect(() => {
    // Some on-screen keyboards send no key for Enter. React does not pass this event on.
    const hear = (event: InputEvent) => {
      if (event.inputType !== 'insertLineBreak') return;
      event.preventDefault();
      desktop.press([ENTER]);
    };
    const field = fieldRef.current;
    field?.addEventListener('beforeinput', hear);
    return () => field?.removeEventListener('beforeinput', hear);
  }, [desktop]);
  return (
    <label className={styles.typing}>
      {t(words.typeHere)}
      <input
        ref={fieldRef}
        defaultValue={ANCHOR}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        // biome-ignore lint/a11y/noAutofocus: the person has just asked for it
        autoFocus
        onKeyDown={onKeyDown}
        onCompositionStart={() => {
          composing.current = true;
        }}
        onCompositionEnd={(event) => {
          composing.current = false;
          send(event.currentTarget);
        }}
        onInput={(event) => {
          if (!composing.current) send(event.currentTarget);
        }}
      />
    </label>
  );
}
