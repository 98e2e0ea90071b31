import { CloseButton, Combobox, Loader, Pill, PillsInput, Text, useCombobox } from '@mantine/core';
import { type KeyboardEvent, type UIEvent, useRef, useState } from 'react';
import { askFirst } from '../../../kit/dialogs/confirm.ts';
import { t } from '../../../kit/i18n/index.ts';
import type { Reference } from '../references.ts';
import { BrowseTree, inTree } from './BrowseTree.tsx';
import { useFormDialogs } from './form-dialogs.ts';
import { useFirstMatch } from './useFirstMatch.ts';
import { NAMED_VALUES, UNNAMED, useRemoteOptions } from './useRemoteOptions.ts';
import { words } from './words.ts';

interface RemoteSelectProps {
  readonly reference: Reference;
  readonly label: string;
  /** A visible label exists above; the field gets only an accessible name. */
  readonly hasTitle?: boolean;
  readonly description?: string | undefined;
  readonly error?: string | undefined;
  readonly required?: boolean;
  readonly disabled?: boolean;
  /** Allows several values, shown as pills. */
  readonly multiple: boolean;
  readonly value: readonly string[];
  readonly onChange: (value: readonly string[]) => void;
  /** Values that are shown and cannot be chosen. */
  readonly exclude?: readonly string[];
  readonly clearable?: boolean;
  /** Adds a last option that creates a missing object, starting with the typed text. */
  readonly create?: { readonly label: string; readonly begin: (typed: string) => void };
}

const NEAR_END = 80;
/** Height in pixels of the bar below a form: the list opens upwards instead of covering it. */
const BAR = 88;
const UNNAMED_WIDTH = 140;
/** Option values that no object id can have. */
const CREATE = '+';
const BROWSE = '*';

/** A select for objects of another resource. Searches on the server and loads more on scroll. */
export function RemoteSelect({
  reference,
  label,
  hasTitle = false,
  description,
  error,
  required = false,
  disabled = false,
  multiple,
  value,
  onChange,
  exclude = [],
  clearable = true,
  create,
}: RemoteSelectProps) {
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
  const { options, answered, labelOf, loading, loadMore } = useRemoteOptions(
    reference,
    search,
    value,
    open,
  );

  // After a click the list closes, because it would cover the next field. With Shift, Ctrl or the
  // keyboard it stays open to choose several.
  const closesAfterPick = useRef(false);
  const [browsing, setBrowsing] = useState(false);
  const browses = useFormDialogs().TreePicker !== undefined && inTree(reference) !== undefined;
  /** True after the first Backspace marked the last value; the second one removes it. */
  const [marked, setMarked] = useState(false);

  function pick(chosen: string) {
    if (!multiple || chosen === CREATE || chosen === BROWSE || closesAfterPick.current)
      combobox.closeDropdown();
    // The options are about to change: the next Enter must not take another option at the same
    // index.
    if (search !== '') combobox.resetSelectedOption();
    setSearch('');
    if (chosen === BROWSE) {
      setBrowsing(true);
      return;
    }
    if (chosen === CREATE) {
      create?.begin(search.trim());
      return;
    }
    const next = multiple
      ? value.includes(chosen)
        ? value.filter((one) => one !== chosen)
        : [...value, chosen]
      : [chosen];
    const caution = next.includes(chosen)
      ? options.find((option) => option.value === chosen)?.caution
      : undefined;
    if (caution === undefined) onChange(next);
    else
      askFirst({
        title: t(words.addTitle),
        message: caution,
        confirm: t(words.add),
        danger: true,
        run: async () => onChange(next),
      });
  }

  const free = (index: number) => !exclude.includes(options[index]?.value ?? '');
  const unchosen = options.findIndex(
    (option, index) => free(index) && !value.includes(option.value),
  );
  const firstMatch = useFirstMatch({
    combobox,
    open,
    search,
    answered,
    // Enter after a search adds an option. It removes a chosen one only if the search has no other
    // match.
    first: unchosen >= 0 ? unchosen : options.findIndex((_, index) => free(index)),
    pick: (index) => pick(options[index]?.value ?? ''),
  });

  function onKeyDown(event: KeyboardEvent<HTMLInputElement>) {
    closesAfterPick.current = false;
    firstMatch.onKeyDown(event);
    if (event.key === 'ArrowDown' && combobox.getSelectedOptionIndex() >= options.length - 2)
      loadMore();
    const removes =
      event.key === 'Backspace' && search === '' && value.length > 0 && (multiple || clearable);
    if (removes && (marked || !multiple)) onChange(value.slice(0, -1));
    setMarked(removes && multiple && !marked);
  }

  function onScroll(event: UIEvent<HTMLDivElement>) {
    const { scrollHeight, scrollTop, clientHeight } = event.currentTarget;
    if (scrollHeight - scrollTop - clientHeight < NEAR_END) loadMore();
  }

  const single = multiple ? undefined : value[0];
  const pillValues = multiple ? value.slice(0, NAMED_VALUES) : [];
  const select = (
    <Combobox
      store={combobox}
      onOptionSubmit={pick}
      disabled={disabled}
      middlewares={{ flip: { padding: { bottom: BAR } }, shift: true }}
    >
      <Combobox.DropdownTarget>
        <PillsInput
          {...(!hasTitle && { label })}
          description={description}
          error={error}
          withAsterisk={required}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          disabled={disabled}
          onClick={() => combobox.openDropdown()}
          rightSection={
            loading ? (
              <Loader size={14} />
            ) : single && clearable && !disabled ? (
              <CloseButton
                size="sm"
                aria-label={`${t(words.clear)} ${label}`}
                onClick={() => onChange([])}
              />
            ) : (
              <Combobox.Chevron />
            )
          }
        >
          <Pill.Group>
            {pillValues.map((one, index) => (
              <Pill
                key={one}
                // Reserve about the width of a name, so the field keeps its height when names
                // arrive.
                {...(labelOf(one) === UNNAMED && { miw: UNNAMED_WIDTH })}
                {...(marked &&
                  index === value.length - 1 && {
                    bg: 'var(--mantine-color-red-light)',
                    c: 'var(--mantine-color-red-light-color)',
                  })}
                withRemoveButton={!disabled}
                onRemove={() => onChange(value.filter((other) => other !== one))}
                removeButtonProps={{
                  'aria-label': t(words.removeItem, { name: labelOf(one) }),
                  tabIndex: 0,
                  'aria-hidden': false,
                }}
              >
                {labelOf(one)}
              </Pill>
            ))}
            {value.length > pillValues.length && multiple && (
              <Text fz="sm">{t(words.moreItems, { count: value.length - pillValues.length })}</Text>
            )}
            <Combobox.EventsTarget withExpandedAttribute>
              <PillsInput.Field
                role="combobox"
                mih={24}
                miw={48}
                {...(hasTitle && { 'aria-label': label })}
                disabled={disabled}
                aria-invalid={error !== undefined}
                value={open || !single ? search : labelOf(single)}
                placeholder={
                  single && open ? labelOf(single) : value.length === 0 ? t(words.choose) : ''
                }
                onChange={(event) => {
                  setSearch(event.currentTarget.value);
                  combobox.openDropdown();
                  firstMatch.onChange();
                }}
                onBlur={() => {
                  if (!firstMatch.awaits()) combobox.closeDropdown();
                  setMarked(false);
                }}
                onKeyDown={onKeyDown}
              />
            </Combobox.EventsTarget>
          </Pill.Group>
        </PillsInput>
      </Combobox.DropdownTarget>
      <Combobox.Dropdown>
        <Combobox.Options
          mah={260}
          style={{ overflowY: 'auto' }}
          onScroll={onScroll}
          aria-label={label}
          // Before the answer arrives, the options belong to the previous search. A closed list is
          // never busy.
          aria-busy={open && !answered}
          onPointerDownCapture={({ shiftKey, ctrlKey, metaKey }) => {
            closesAfterPick.current = !(shiftKey || ctrlKey || metaKey);
          }}
        >
          {options.map((option) => (
            <Combobox.Option
              key={option.value}
              value={option.value}
              active={value.includes(option.value)}
              aria-selected={value.includes(option.value)}
              disabled={exclude.includes(option.value)}
              {...(value.includes(option.value) && { bg: 'var(--app-row-selected)' })}
            >
              {option.label}
            </Combobox.Option>
          ))}
          {options.length === 0 && !loading && <Combobox.Empty>{t(words.nothing)}</Combobox.Empty>}
          {browses && (
            <Combobox.Option value={BROWSE} c="var(--mantine-color-anchor)" fw={600}>
              {t(words.browseTree)}
            </Combobox.Option>
          )}
          {create && (
            <Combobox.Option value={CREATE} c="var(--mantine-color-anchor)" fw={600}>
              {create.label}
            </Combobox.Option>
          )}
        </Combobox.Options>
      </Combobox.Dropdown>
    </Combobox>
  );
  return (
    <>
      {select}
      {browsing && (
        <BrowseTree
          {...{ reference, label, multiple, value, exclude, onChange }}
          onClose={() => setBrowsing(false)}
        />
      )}
    </>
  );
}
