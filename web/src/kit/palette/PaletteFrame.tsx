import { type ComponentType, type KeyboardEvent, useLayoutEffect, useRef, useState } from 'react';
import { isComposing } from '../composing.ts';
import { IconSearch } from '../icons.ts';
import { KeyQueue, type ResultsProps } from './option.ts';
import styles from './PaletteFrame.module.css';

const LINE_KEYS = new Set(['Enter', 'ArrowUp', 'ArrowDown', 'ArrowLeft', 'ArrowRight', 'Escape']);

interface Props {
  /** Label of the input. */
  readonly label: string;
  readonly onClose: () => void;
  /** The options; their code may load after the first keystrokes. */
  readonly results: ComponentType<ResultsProps>;
}

/**
 * The input of a palette. It takes text at once and queues other keys until the code of the options
 * has loaded.
 */
export function PaletteFrame({ label, onClose, results: Results }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [keys] = useState(() => new KeyQueue());
  const [query, setQuery] = useState('');
  const [active, setActive] = useState<string>();

  // The native dialog traps the focus and restores it on close.
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    return () => element?.close();
  }, []);

  function onKeyDown(event: KeyboardEvent<HTMLInputElement>) {
    // Ignore Enter of an input method during composition.
    if (isComposing(event) || !LINE_KEYS.has(event.key)) return;
    const { selectionStart, selectionEnd, value } = event.currentTarget;
    const atEnd = selectionStart === value.length && selectionEnd === value.length;
    if (keys.press({ key: event.key, connects: event.ctrlKey || event.metaKey, atEnd }))
      event.preventDefault();
  }

  return (
    <dialog
      ref={dialog}
      className={styles.dialog}
      aria-label={label}
      onClose={onClose}
      onMouseDown={(event) => {
        if (event.target === dialog.current) onClose();
      }}
    >
      <div className={styles.field}>
        <IconSearch size={18} />
        <input
          autoFocus
          type="text"
          role="combobox"
          aria-label={label}
          placeholder={label}
          aria-expanded="true"
          aria-controls="palette-options"
          aria-activedescendant={active}
          autoComplete="off"
          spellCheck={false}
          value={query}
          onChange={(event) => setQuery(event.currentTarget.value)}
          onKeyDown={onKeyDown}
        />
      </div>
      <Results query={query} keys={keys} onActive={setActive} onClose={onClose} />
    </dialog>
  );
}
