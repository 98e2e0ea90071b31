import type { ComboboxStore } from '@mantine/core';
import { type KeyboardEvent, useEffect, useRef } from 'react';

interface FirstMatch {
  readonly combobox: ComboboxStore;
  readonly open: boolean;
  readonly search: string;
  /** Whether the options are those of this search. */
  readonly answered: boolean;
  /** The place of the option that Enter chooses, or -1. */
  readonly first: number;
  readonly pick: (index: number) => void;
}

/**
 * Marks the first match of a search, so that Enter chooses it. An Enter that comes before the answer is remembered, and chooses the
 * first match when the answer comes, also when the focus has moved on by then.
 */
export function useFirstMatch({ combobox, open, search, answered, first, pick }: FirstMatch) {
  const awaited = useRef<string>(undefined);
  const wanted = search.trim();

  // Only a new answer moves the mark; what the arrows marked stays while more options are loaded.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the store and the callback are new at each render
  useEffect(() => {
    if (!open || wanted === '' || !answered) return;
    const input = combobox.targetRef.current;
    const chooses = awaited.current === wanted && first >= 0;
    awaited.current = undefined;
    if (chooses) pick(first);
    if (input && document.activeElement !== input) combobox.closeDropdown();
    if (chooses || first < 0) return;
    combobox.selectOption(first);
    const option = document
      .getElementById(combobox.listId ?? '')
      ?.querySelector('[data-combobox-selected]');
    if (option) input?.setAttribute('aria-activedescendant', option.id);
    return () => input?.removeAttribute('aria-activedescendant');
  }, [open, wanted, answered]);

  return {
    /** For the field's keys, before the list gets them. */
    onKeyDown(event: KeyboardEvent<HTMLInputElement>) {
      const composing = event.nativeEvent.isComposing || event.nativeEvent.keyCode === 229;
      if (event.key === 'Escape') awaited.current = undefined;
      if (
        event.key !== 'Enter' ||
        composing ||
        !open ||
        wanted === '' ||
        answered ||
        combobox.getSelectedOptionIndex() >= 0
      )
        return;
      event.preventDefault();
      awaited.current = wanted;
    },
    /** For each change of the text: what was marked or awaited belongs to another search. */
    onChange() {
      awaited.current = undefined;
      combobox.resetSelectedOption();
    },
    /** Whether an answer is awaited that will choose: the list must stay until then. */
    awaits: () => awaited.current !== undefined,
  };
}
