import type { ComboboxStore } from '@mantine/core';
import { type KeyboardEvent, useEffect, useRef } from 'react';
import { isEnter } from '../../../kit/composing.ts';

interface FirstMatch {
  readonly combobox: ComboboxStore;
  readonly open: boolean;
  readonly search: string;
  /** True if the options belong to this search. */
  readonly answered: boolean;
  /** Index of the option that Enter chooses, or -1. */
  readonly first: number;
  readonly pick: (index: number) => void;
}

/**
 * Marks the first match of a search, so Enter chooses it. An Enter before the answer is remembered
 * and chooses the first match on arrival, even if the focus has moved.
 */
export function useFirstMatch({ combobox, open, search, answered, first, pick }: FirstMatch) {
  const awaited = useRef<string>(undefined);
  const term = search.trim();

  // Only a new answer moves the mark; while more options load, the mark of the arrow keys stays.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the store and the callback are new at each render
  useEffect(() => {
    if (!open || term === '' || !answered) return;
    const input = combobox.targetRef.current;
    const chooses = awaited.current === term && first >= 0;
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
  }, [open, term, answered]);

  return {
    /** Handles keys of the field before the list does. */
    onKeyDown(event: KeyboardEvent<HTMLInputElement>) {
      if (event.key === 'Escape') awaited.current = undefined;
      if (
        !isEnter(event) ||
        !open ||
        term === '' ||
        answered ||
        combobox.getSelectedOptionIndex() >= 0
      )
        return;
      event.preventDefault();
      awaited.current = term;
    },
    /** Resets the mark and a remembered Enter: they belong to the previous search. */
    onChange() {
      awaited.current = undefined;
      combobox.resetSelectedOption();
    },
    /**
     * Returns true while a remembered Enter waits for an answer; the list must stay open until
     * then.
     */
    awaits: () => awaited.current !== undefined,
  };
}
