import { CloseButton, Input, Popover, VisuallyHidden } from '@mantine/core';
import { isUuid, readSearch } from '@sallyport/contract';
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import { t } from '../../../kit/i18n/index.ts';
import { IconSearch } from '../../../kit/icons.ts';
import { type SearchField, type SearchPreset, tagText } from './search-fields.ts';
import styles from './TagSearch.module.css';
import { useObjectNames } from './useObjectNames.ts';
import { words } from './words.ts';

export interface SearchValue {
  readonly search: string;
  readonly filters: Readonly<Record<string, string>>;
}

interface TagSearchProps extends SearchValue {
  readonly fields: readonly SearchField[];
  readonly presets?: readonly SearchPreset[] | undefined;
  /** Searches typed words as one phrase: `rm -r` matches exactly. */
  readonly isPhrase?: boolean | undefined;
  readonly onChange: (value: SearchValue) => void;
}

interface Option {
  readonly key: string;
  readonly label: string;
  readonly pick: () => void;
}

/** A condition with a remove button. */
function Tag({ label, onRemove }: { readonly label: string; readonly onRemove: () => void }) {
  return (
    <span className={styles.tag}>
      <span className={styles.label}>{label}</span>
      <CloseButton
        size={22}
        iconSize={12}
        variant="transparent"
        aria-label={t(words.removeTag, { tag: label })}
        onClick={onRemove}
      />
    </span>
  );
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

/**
 * The search field of a list: each condition becomes a tag. Text without a field searches all
 * fields and must match every word.
 */
export function TagSearch({
  fields,
  presets = NONE,
  isPhrase = false,
  search,
  filters,
  onChange,
}: TagSearchProps) {
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState<SearchField>();
  const field = useRef<HTMLInputElement>(null);
  const help = useId();
  const list = useId();
  const [isOpen, setOpen] = useState(false);
  const [marked, setMarked] = useState(NOTHING);
  const idOf = (index: number) => `${list}-${index}`;
  const open = () => setOpen(true);
  const close = () => {
    setOpen(false);
    setMarked(NOTHING);
  };
  useEffect(() => {
    document.getElementById(`${list}-${marked}`)?.scrollIntoView({ block: 'nearest' });
  }, [list, marked]);

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
  const presetOptions = (): Option[] =>
    presets
      .filter(({ label }) => label.toLowerCase().includes(needle))
      .map(({ label, search: wish }) => ({ key: wish, label, pick: () => searchFor(wish) }));
  const filterBy = (field: SearchField, value: string) =>
    finish({ filters: { ...filters, [field.name]: value } });
  const without = (name: string) =>
    Object.fromEntries(Object.entries(filters).filter(([one]) => one !== name));

  // Users do not type ids of other objects; the advanced filter offers those conditions.
  const typeable = fields.filter(({ target }) => !target);
  const names = useObjectNames(fields, filters);
  const typed = text.trim();
  const needle = typed.toLowerCase();
  const valueOptions = (field: SearchField): Option[] =>
    (field.choices ?? [])
      .filter((choice) => chosen || `${field.label} ${choice.label}`.toLowerCase().includes(needle))
      .map((choice) => ({
        key: `${field.name}=${choice.value}`,
        label: `${field.label}: ${choice.label}`,
        pick: () => filterBy(field, choice.value),
      }));

  function options(): Option[] {
    if (chosen?.choices) return valueOptions(chosen);
    if (chosen)
      return typed
        ? [
            {
              key: chosen.name,
              label: `${chosen.label}: ${typed}`,
              pick: () => filterBy(chosen, typed),
            },
          ]
        : [];
    if (!typed)
      return [
        ...presetOptions(),
        ...typeable.map((field) => ({
          key: field.name,
          label: field.label,
          pick: () => setChosen(field),
        })),
      ];
    return [
      { key: '', label: t(words.searchFor, { text: typed }), pick: () => searchFor(typed) },
      ...presetOptions(),
      // Suggest the id only for a pasted UUID; for other text it would be noise.
      ...typeable
        .filter((field) => field.name !== 'id' || isUuid(typed))
        .flatMap((field) =>
          field.choices
            ? valueOptions(field)
            : [
                {
                  key: field.name,
                  label: `${field.label}: ${typed}`,
                  pick: () => filterBy(field, typed),
                },
              ],
        ),
    ];
  }
  const offered = options();
  const isShown = isOpen && offered.length > 0;

  function onKeyDown(event: KeyboardEvent<HTMLInputElement>) {
    // Ignore keys of an input method during composition.
    if (event.nativeEvent.isComposing) return;
    if (event.key === 'Escape' && isShown) {
      event.stopPropagation();
      close();
      return;
    }
    if ((event.key === 'ArrowDown' || event.key === 'ArrowUp') && offered.length > 0) {
      event.preventDefault();
      open();
      const down = event.key === 'ArrowDown';
      setMarked((before) =>
        down ? (before + 1) % offered.length : (before <= 0 ? offered.length : before) - 1,
      );
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

  const hasTags = search !== '' || Object.keys(filters).length > 0;
  return (
    // Combobox and PillsInput would add more code than the rest of the field has.
    <Popover
      opened={isShown}
      width="target"
      position="bottom-start"
      offset={4}
      transitionProps={{ duration: 0 }}
      withRoles={false}
      closeOnClickOutside={false}
      closeOnEscape={false}
    >
      <Popover.Target>
        <Input
          component="div"
          multiline
          size="sm"
          className={styles.input}
          leftSection={<IconSearch size={16} />}
          {...(hasTags && {
            rightSection: (
              <CloseButton
                size="sm"
                aria-label={t(words.clearFilters)}
                onClick={() => finish({ search: '', filters: {} })}
              />
            ),
          })}
          withAria={false}
          data-no-overflow
          onMouseDown={(event) => {
            // A click inside the field focuses the input without a blur, which would submit the
            // typed text.
            if (event.target === field.current) return;
            event.preventDefault();
            field.current?.focus();
          }}
        >
          <div className={styles.tags}>
            {Object.entries(filters).map(([name, value]) => (
              <Tag
                key={name}
                label={tagText(fields, name, value, names)}
                onRemove={() => finish({ filters: without(name) })}
              />
            ))}
            {terms.map(({ raw }, index) => (
              <Tag
                key={raw}
                label={presets.find(({ search: wish }) => wish === raw)?.label ?? raw}
                onRemove={() => withoutTerm(index)}
              />
            ))}
            {chosen && <span className={styles.field}>{chosen.label}:</span>}
            <input
              ref={field}
              className={styles.text}
              role="combobox"
              aria-expanded={isShown}
              aria-controls={isShown ? list : undefined}
              aria-activedescendant={isShown && marked >= 0 ? idOf(marked) : undefined}
              aria-autocomplete="list"
              autoComplete="off"
              data-page-search
              aria-label={t(words.searchPlaceholder)}
              aria-describedby={help}
              placeholder={chosen ? t(words.searchHint) : hasTags ? '' : t(words.searchPlaceholder)}
              value={text}
              maxLength={256}
              onChange={(event) => {
                setText(event.currentTarget.value);
                open();
                // The mark belongs to the previous text: until an arrow key moves it, Enter takes
                // the typed text.
                setMarked(NOTHING);
              }}
              onFocus={open}
              onClick={open}
              onBlur={() => {
                close();
                // Leaving the field submits the typed text (conformance 9.6).
                if (typed && !chosen?.choices) offered[0]?.pick();
              }}
              onKeyDown={onKeyDown}
            />
          </div>
        </Input>
      </Popover.Target>
      <VisuallyHidden id={help}>{t(words.searchHelp)}</VisuallyHidden>
      <Popover.Dropdown p={4}>
        <div role="listbox" id={list} aria-label={t(words.searchBy)} className={styles.options}>
          {offered.map(({ key, label, pick }, index) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the field, which keeps the focus
            <div
              key={key}
              id={idOf(index)}
              role="option"
              tabIndex={-1}
              aria-selected={index === marked}
              className={styles.option}
              // Keep the focus in the field.
              onMouseDown={(event) => event.preventDefault()}
              onClick={pick}
            >
              {label}
            </div>
          ))}
        </div>
        {!chosen && (
          <div className={styles.help} aria-hidden="true">
            {t(words.searchHelp)}
          </div>
        )}
      </Popover.Dropdown>
    </Popover>
  );
}
