import { useEffect, useRef } from 'react';
import { isComposing } from '../../kit/composing.ts';
import { t } from '../../kit/i18n/index.ts';
import styles from './Desktop.module.css';
import type { DesktopTab } from './desktop-tab.ts';
import { BACKSPACE, keyOf } from './keys.ts';
import { takeText } from './text-intake.ts';
import { words } from './words.ts';

/**
 * A field that opens the keyboard of a phone. Each character goes to the desktop as a key; a text
 * of an input method goes when it is complete.
 */
export function TypingField({ desktop }: { readonly desktop: DesktopTab }) {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const over = new AbortController();
    if (field.current) takeText(field.current, (keys) => desktop.press(keys), over.signal);
    return () => over.abort();
  }, [desktop]);
  return (
    <label className={styles.typing}>
      {t(words.typeHere)}
      <input
        ref={field}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        // biome-ignore lint/a11y/noAutofocus: the person has just asked for it
        autoFocus
        onKeyDown={(event) => {
          if (isComposing(event) || (event.key !== 'Backspace' && event.key !== 'Enter')) return;
          event.preventDefault();
          desktop.press([event.key === 'Enter' ? keyOf('\n') : BACKSPACE]);
        }}
      />
    </label>
  );
}
