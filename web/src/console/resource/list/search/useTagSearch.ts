import { readSearch } from '@sallyport/contract';
import { useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, useEffect, useState } from 'react';
import { api } from '../../../../kit/api.ts';
import { isComposing } from '../../../../kit/composing.ts';
import { type Reference, referenceTo } from '../../references.ts';
import { cacheKey, objectUrl } from '../../source.ts';
import type { SearchField, SearchPreset } from './search-fields.ts';
import { searchOptions } from './search-options.ts';

interface NameTarget {
  readonly reference: Reference;
  readonly id: string;
}

/** Deleted and inaccessible objects have no name; the tag then shows the id. */
const nameOf = (
  { reference, id }: NameTarget,
  signal: AbortSignal,
): Promise<readonly [string, string]> =>
  api.get<object>(objectUrl(reference, id), { signal, quiet: true }).then(
    (object) => [id, reference.label(object)],
    () => [id, id],
  );

/** Returns the names of the objects in the filters of a list, by id. */
function useObjectNames(
  fields: readonly SearchField[],
  filters: Readonly<Record<string, string>>,
): ReadonlyMap<string, string> {
  const targets = fields.flatMap(({ name, target }): NameTarget[] => {
    const reference = target ? referenceTo(target) : undefined;
    const id = filters[name];
    return reference && id ? [{ reference, id }] : [];
  });
  const { data } = useQuery({
    queryKey: [
      ...cacheKey({ path: 'names' }),
      targets.map(({ reference, id }) => objectUrl(reference, id)),
    ],
    queryFn: ({ signal }) => Promise.all(targets.map((one) => nameOf(one, signal))),
    enabled: targets.length > 0,
  });
  return new Map(data);
}

export interface SearchValue {
  readonly search: string;
  readonly filters: Readonly<Record<string, string>>;
}

export interface TagSearchProps extends SearchValue {
  readonly fields: readonly SearchField[];
  readonly presets?: readonly SearchPreset[] | undefined;
  /** Searches typed words as one phrase: `rm -r` matches exactly. */
  readonly isPhrase?: boolean | undefined;
  readonly onChange: (value: SearchValue) => void;
}

const NONE: readonly SearchPreset[] = [];
/** Quotes several plain words. Text that already has operators or quotes stays as it is. */
function asPhrase(text: string): string {
  const terms = readSearch(text);
  const isPlain =
    terms.length > 1 && !text.includes('"') && terms.every(({ kind }) => kind === 'text');
  return isPlain ? `"${text}"` : text;
}

/** Marked index when no option is marked. */
const NOTHING = -1;

/** The state of the list of options: open or closed, and the option that arrow keys mark. */
function useOptionList(list: string) {
  const [isOpen, setOpen] = useState(false);
  const [marked, setMarked] = useState(NOTHING);
  useEffect(() => {
    document.getElementById(`${list}-${marked}`)?.scrollIntoView({ block: 'nearest' });
  }, [list, marked]);
  return {
    isOpen,
    marked,
    open: () => setOpen(true),
    close() {
      setOpen(false);
      setMarked(NOTHING);
    },
    unmark: () => setMarked(NOTHING),
    /** Marks the next or previous one of `count` options, from the last to the first. */
    move: (step: 1 | -1, count: number) =>
      setMarked((before) => (step > 0 ? (before + 1) % count : (before <= 0 ? count : before) - 1)),
  };
}

/** The state of the search field: typed text, chosen field, offered and marked options. */
export function useTagSearch(
  { fields, presets = NONE, isPhrase = false, search, filters, onChange }: TagSearchProps,
  list: string,
) {
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState<SearchField>();
  const { isOpen, marked, open, close, unmark, move } = useOptionList(list);

  function finish(value: Partial<SearchValue>) {
    setText('');
    setChosen(undefined);
    close();
    onChange({ search, filters, ...value });
  }
  // A further word adds a condition and keeps the previous ones.
  const terms = readSearch(search);
  const searchFor = (added: string) => {
    const raws = readSearch(isPhrase ? asPhrase(added) : added).map(({ raw }) => raw);
    finish({ search: [...new Set([...terms.map(({ raw }) => raw), ...raws])].join(' ') });
  };
  const withoutTerm = (at: number) =>
    finish({ search: terms.flatMap(({ raw }, index) => (index === at ? [] : [raw])).join(' ') });
  const filterBy = (field: SearchField, value: string) =>
    finish({ filters: { ...filters, [field.name]: value } });
  const without = (name: string) =>
    Object.fromEntries(Object.entries(filters).filter(([one]) => one !== name));

  const names = useObjectNames(fields, filters);
  const typed = text.trim();
  const offered = searchOptions({
    fields,
    presets,
    chosen,
    typed,
    onSearch: searchFor,
    onFilter: filterBy,
    onChoose: setChosen,
  });
  const isShown = isOpen && offered.length > 0;

  function onKeyDown(event: KeyboardEvent<HTMLInputElement>) {
    // Ignore keys of an input method during composition.
    if (isComposing(event)) return;
    if (event.key === 'Escape' && isShown) {
      event.stopPropagation();
      close();
      return;
    }
    if ((event.key === 'ArrowDown' || event.key === 'ArrowUp') && offered.length > 0) {
      event.preventDefault();
      open();
      move(event.key === 'ArrowDown' ? 1 : -1, offered.length);
      return;
    }
    if (event.key === 'Enter') {
      event.preventDefault();
      // Without a marked option, Enter takes the typed text.
      if (marked >= 0 || typed) offered[Math.max(marked, 0)]?.pick();
      return;
    }
    if (event.key !== 'Backspace' || text !== '') return;
    event.preventDefault();
    const last = Object.keys(filters).at(-1);
    if (chosen) setChosen(undefined);
    else if (terms.length > 0) withoutTerm(terms.length - 1);
    else if (last) finish({ filters: without(last) });
  }

  return {
    text,
    typed,
    chosen,
    marked,
    offered,
    isShown,
    terms,
    names,
    open,
    close,
    finish,
    without,
    withoutTerm,
    onKeyDown,
    type: (value: string) => {
      setText(value);
      open();
      // The mark belongs to the previous text: until an arrow key moves it, Enter takes the typed
      // text.
      unmark();
    },
  };
}
