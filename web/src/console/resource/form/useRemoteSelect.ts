import { useCombobox } from '@mantine/core';
import { type KeyboardEvent, type PointerEvent, type UIEvent, useRef, useState } from 'react';
import type { Reference } from '../references.ts';
import { useFirstMatch } from './useFirstMatch.ts';
import { afterCaution, type RemoteOption, useRemoteOptions } from './useRemoteOptions.ts';

const NEAR_END = 80;
/** Option values that no object id can have. */
export const CREATE = '+';
export const BROWSE = '*';

interface RemoteSelectOptions {
  readonly reference: Reference;
  readonly multiple: boolean;
  readonly value: readonly string[];
  readonly onChange: (value: readonly string[]) => void;
  readonly exclude: readonly string[];
  readonly clearable: boolean;
  /** Called with the search for the option that creates a missing object. */
  readonly onCreate: (typed: string) => void;
}

/**
 * Returns the index of the option that Enter chooses after a search, or -1. Enter adds an option.
 * It removes a chosen one only if the search has no other match.
 */
function firstOf(
  options: readonly RemoteOption[],
  value: readonly string[],
  exclude: readonly string[],
): number {
  const isFree = (option: RemoteOption) => !exclude.includes(option.value);
  const unchosen = options.findIndex((one) => isFree(one) && !value.includes(one.value));
  return unchosen >= 0 ? unchosen : options.findIndex(isFree);
}

/** Holds the state of a select for objects of another resource. Draws nothing. */
export function useRemoteSelect({
  reference,
  multiple,
  value,
  onChange,
  exclude,
  clearable,
  onCreate,
}: RemoteSelectOptions) {
  const [search, setSearch] = useState('');
  const [open, setOpen] = useState(false);
  const combobox = useCombobox({
    onDropdownOpen: () => setOpen(true),
    onDropdownClose: () => {
      setOpen(false);
      setSearch('');
      combobox.resetSelectedOption();
    },
  });
  const remote = useRemoteOptions(reference, search, value, open);
  const { options, answered, loadMore } = remote;

  // After a click the list closes, because it would cover the next field. With Shift, Ctrl or the
  // keyboard it stays open to choose several.
  const closesAfterPick = useRef(false);
  const [browsing, setBrowsing] = useState(false);
  /** True after the first Backspace marked the last value; the second one removes it. */
  const [marked, setMarked] = useState(false);

  function pick(chosen: string) {
    if (!multiple || chosen === CREATE || chosen === BROWSE || closesAfterPick.current)
      combobox.closeDropdown();
    // The options are about to change: the next Enter must not take another option at the same
    // index.
    if (search !== '') combobox.resetSelectedOption();
    setSearch('');
    if (chosen === BROWSE) setBrowsing(true);
    else if (chosen === CREATE) onCreate(search.trim());
    else if (multiple && value.includes(chosen)) onChange(value.filter((one) => one !== chosen));
    else
      afterCaution(options.find((option) => option.value === chosen)?.caution, () =>
        onChange(multiple ? [...value, chosen] : [chosen]),
      );
  }

  const firstMatch = useFirstMatch({
    combobox,
    open,
    search,
    answered,
    first: firstOf(options, value, exclude),
    pick: (index) => pick(options[index]?.value ?? ''),
  });

  return {
    ...remote,
    combobox,
    search,
    open,
    marked,
    browsing,
    stopBrowsing: () => setBrowsing(false),
    pick,
    /** Handlers of the input. */
    field: {
      onChange(typed: string) {
        setSearch(typed);
        combobox.openDropdown();
        firstMatch.onChange();
      },
      onBlur() {
        if (!firstMatch.awaits()) combobox.closeDropdown();
        setMarked(false);
      },
      onKeyDown(event: KeyboardEvent<HTMLInputElement>) {
        closesAfterPick.current = false;
        firstMatch.onKeyDown(event);
        if (event.key === 'ArrowDown' && combobox.getSelectedOptionIndex() >= options.length - 2)
          loadMore();
        const removes =
          event.key === 'Backspace' && search === '' && value.length > 0 && (multiple || clearable);
        if (removes && (marked || !multiple)) onChange(value.slice(0, -1));
        setMarked(removes && multiple && !marked);
      },
    },
    /** Handlers of the list. */
    list: {
      onScroll(event: UIEvent<HTMLDivElement>) {
        const { scrollHeight, scrollTop, clientHeight } = event.currentTarget;
        if (scrollHeight - scrollTop - clientHeight < NEAR_END) loadMore();
      },
      onPointerDownCapture({ shiftKey, ctrlKey, metaKey }: PointerEvent) {
        closesAfterPick.current = !(shiftKey || ctrlKey || metaKey);
      },
    },
  };
}
