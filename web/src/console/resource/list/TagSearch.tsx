import { CloseButton, Combobox, Pill, PillsInput, useCombobox } from '@mantine/core';
import { isUuid } from '@sallyport/contract';
import { type KeyboardEvent, useState } from 'react';
import { t } from '../../../kit/i18n/index.ts';
import { IconSearch } from '../../../kit/icons.ts';
import { type SearchField, tagText } from './search-fields.ts';
import styles from './TagSearch.module.css';
import { useObjectNames } from './useObjectNames.ts';
import { words } from './words.ts';

export interface SearchValue {
  readonly search: string;
  readonly filters: Readonly<Record<string, string>>;
}

interface TagSearchProps extends SearchValue {
  readonly fields: readonly SearchField[];
  readonly onChange: (value: SearchValue) => void;
}

interface Option {
  readonly key: string;
  readonly label: string;
  readonly pick: () => void;
}

/** The search field of a list: each condition becomes a tag; text without a field searches everywhere. */
export function TagSearch({ fields, search, filters, onChange }: TagSearchProps) {
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState<SearchField>();
  const combobox = useCombobox({ onDropdownClose: () => combobox.resetSelectedOption() });

  function finish(value: Partial<SearchValue>) {
    setText('');
    setChosen(undefined);
    combobox.closeDropdown();
    onChange({ search, filters, ...value });
  }
  const filterBy = (field: SearchField, value: string) => finish({ filters: { ...filters, [field.name]: value } });
  const without = (name: string) => Object.fromEntries(Object.entries(filters).filter(([one]) => one !== name));

  // Nobody types the ids of other objects: those conditions are made in the advanced filter.
  const typeable = fields.filter(({ target }) => !target);
  const names = useObjectNames(fields, filters);
  const typed = text.trim();
  const wanted = typed.toLowerCase();
  const valueOptions = (field: SearchField): Option[] =>
    (field.choices ?? [])
      .filter((choice) => chosen || `${field.label} ${choice.label}`.toLowerCase().includes(wanted))
      .map((choice) => ({ key: `${field.name}=${choice.value}`, label: `${field.label}: ${choice.label}`, pick: () => filterBy(field, choice.value) }));

  function options(): Option[] {
    if (chosen?.choices) return valueOptions(chosen);
    if (chosen) return typed ? [{ key: chosen.name, label: `${chosen.label}: ${typed}`, pick: () => filterBy(chosen, typed) }] : [];
    if (!typed) return typeable.map((field) => ({ key: field.name, label: field.label, pick: () => setChosen(field) }));
    return [
      { key: '', label: t(words.searchFor, { text: typed }), pick: () => finish({ search: typed }) },
      // An id is only ever pasted whole; as a suggestion for other words it would be noise.
      ...typeable
        .filter((field) => field.name !== 'id' || isUuid(typed))
        .flatMap((field) =>
          field.choices ? valueOptions(field) : [{ key: field.name, label: `${field.label}: ${typed}`, pick: () => filterBy(field, typed) }],
        ),
    ];
  }
  const offered = options();

  function onKeyDown(event: KeyboardEvent<HTMLInputElement>) {
    if (event.key === 'Enter' && combobox.getSelectedOptionIndex() < 0) {
      event.preventDefault();
      // Nothing is marked in the list: Enter takes what was typed.
      if (typed) offered[0]?.pick();
      return;
    }
    if (event.key !== 'Backspace' || text !== '') return;
    event.preventDefault();
    const last = Object.keys(filters).at(-1);
    if (chosen) setChosen(undefined);
    else if (search) finish({ search: '' });
    else if (last) finish({ filters: without(last) });
  }

  const hasTags = search !== '' || Object.keys(filters).length > 0;
  return (
    <Combobox store={combobox} onOptionSubmit={(key) => offered.find((option) => option.key === key)?.pick()}>
      <Combobox.DropdownTarget>
        <PillsInput
          size="sm"
          className={styles.input}
          leftSection={<IconSearch size={16} />}
          {...(hasTags && {
            rightSection: <CloseButton size="sm" aria-label={t(words.clearFilters)} onClick={() => finish({ search: '', filters: {} })} />,
          })}
        >
          <Pill.Group>
            {Object.entries(filters).map(([name, value]) => (
              <Pill
                key={name}
                withRemoveButton
                onRemove={() => finish({ filters: without(name) })}
                removeButtonProps={{ 'aria-label': t(words.removeTag, { tag: tagText(fields, name, value, names) }), tabIndex: 0, 'aria-hidden': false }}
              >
                {tagText(fields, name, value, names)}
              </Pill>
            ))}
            {search && (
              <Pill
                withRemoveButton
                onRemove={() => finish({ search: '' })}
                removeButtonProps={{ 'aria-label': t(words.removeTag, { tag: search }), tabIndex: 0, 'aria-hidden': false }}
              >
                {search}
              </Pill>
            )}
            {chosen && <span className={styles.field}>{chosen.label}:</span>}
            <Combobox.EventsTarget withExpandedAttribute>
              <PillsInput.Field
                role="combobox"
                data-page-search
                aria-label={t(words.searchPlaceholder)}
                placeholder={chosen ? t(words.searchHint) : hasTags ? '' : t(words.searchPlaceholder)}
                value={text}
                maxLength={256}
                onChange={(event) => {
                  setText(event.currentTarget.value);
                  combobox.openDropdown();
                  // What was marked belongs to another text: Enter takes what is typed until the arrows say otherwise.
                  combobox.resetSelectedOption();
                }}
                onFocus={() => combobox.openDropdown()}
                onClick={() => combobox.openDropdown()}
                onBlur={() => {
                  combobox.closeDropdown();
                  // Leaving the field with something typed is a search, too (conformance 9.6).
                  if (typed && !chosen?.choices) offered[0]?.pick();
                }}
                onKeyDown={onKeyDown}
              />
            </Combobox.EventsTarget>
          </Pill.Group>
        </PillsInput>
      </Combobox.DropdownTarget>
      <Combobox.Dropdown hidden={offered.length === 0}>
        <Combobox.Options mah={320} style={{ overflowY: 'auto' }} aria-label={t(words.searchBy)}>
          {offered.map(({ key, label }) => (
            <Combobox.Option key={key} value={key}>
              {label}
            </Combobox.Option>
          ))}
        </Combobox.Options>
      </Combobox.Dropdown>
    </Combobox>
  );
}
