import { CloseButton, Combobox, Loader, Pill, PillsInput, Text } from '@mantine/core';
import { t } from '../../../kit/i18n/index.ts';
import type { Reference } from '../references.ts';
import { BrowseTree, inTree } from './BrowseTree.tsx';
import { useFormDialogs } from './form-dialogs.ts';
import { NAMED_VALUES, UNNAMED } from './useRemoteOptions.ts';
import { BROWSE, CREATE, useRemoteSelect } from './useRemoteSelect.ts';
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

/** Height in pixels of the bar below a form: the list opens upwards instead of covering it. */
const BAR = 88;
const UNNAMED_WIDTH = 140;

interface PartProps {
  readonly select: RemoteSelectProps;
  readonly model: ReturnType<typeof useRemoteSelect>;
}

/** A select for objects of another resource. Searches on the server and loads more on scroll. */
export function RemoteSelect(select: RemoteSelectProps) {
  const { reference, label, multiple, value, onChange, create } = select;
  const { exclude = [], clearable = true, disabled = false } = select;
  const model = useRemoteSelect({
    reference,
    multiple,
    value,
    onChange,
    exclude,
    clearable,
    onCreate: (typed) => create?.begin(typed),
  });
  const { combobox } = model;
  return (
    <>
      <Combobox
        store={combobox}
        onOptionSubmit={model.pick}
        disabled={disabled}
        middlewares={{ flip: { padding: { bottom: BAR } }, shift: true }}
      >
        <Combobox.DropdownTarget>
          <PillsInput
            {...(!select.hasTitle && { label })}
            description={select.description}
            error={select.error}
            withAsterisk={select.required ?? false}
            inputWrapperOrder={['label', 'input', 'description', 'error']}
            disabled={disabled}
            onClick={() => combobox.openDropdown()}
            rightSection={<EndOfField select={select} isLoading={model.loading} />}
          >
            <Pill.Group>
              {multiple && <ChosenPills select={select} model={model} />}
              <SearchInput select={select} model={model} />
            </Pill.Group>
          </PillsInput>
        </Combobox.DropdownTarget>
        <Combobox.Dropdown>
          <OptionList select={select} model={model} />
        </Combobox.Dropdown>
      </Combobox>
      {model.browsing && (
        <BrowseTree
          {...{ reference, label, multiple, value, exclude, onChange }}
          onClose={model.stopBrowsing}
        />
      )}
    </>
  );
}

/** A loader, the button that clears a single value, or the arrow of a list. */
function EndOfField({
  select: { label, multiple, value, onChange, clearable = true, disabled },
  isLoading,
}: {
  readonly select: RemoteSelectProps;
  readonly isLoading: boolean;
}) {
  if (isLoading) return <Loader size={14} />;
  if (multiple || !value[0] || !clearable || disabled) return <Combobox.Chevron />;
  return (
    <CloseButton size="sm" aria-label={`${t(words.clear)} ${label}`} onClick={() => onChange([])} />
  );
}

/** The chosen values, each with a button that removes it. */
function ChosenPills({ select, model: { labelOf, marked } }: PartProps) {
  const { value, onChange, disabled } = select;
  const visible = value.slice(0, NAMED_VALUES);
  return (
    <>
      {visible.map((one, index) => (
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
      {value.length > visible.length && (
        <Text fz="sm">{t(words.moreItems, { count: value.length - visible.length })}</Text>
      )}
    </>
  );
}

/** The input: the name of a single value while the list is closed, the search while it is open. */
function SearchInput({ select, model: { open, search, labelOf, field } }: PartProps) {
  const { value, disabled } = select;
  const single = select.multiple ? undefined : value[0];
  return (
    <Combobox.EventsTarget withExpandedAttribute>
      <PillsInput.Field
        role="combobox"
        mih={24}
        miw={48}
        {...(select.hasTitle && { 'aria-label': select.label })}
        disabled={disabled ?? false}
        aria-invalid={select.error !== undefined}
        value={open || !single ? search : labelOf(single)}
        placeholder={single && open ? labelOf(single) : value.length === 0 ? t(words.choose) : ''}
        onChange={(event) => field.onChange(event.currentTarget.value)}
        onBlur={field.onBlur}
        onKeyDown={field.onKeyDown}
      />
    </Combobox.EventsTarget>
  );
}

/** The options, and the ways to a value that is not among them: the tree and a new object. */
function OptionList({ select, model: { options, open, answered, loading, list } }: PartProps) {
  const { reference, label, value, exclude = [], create } = select;
  const browses = useFormDialogs().TreePicker !== undefined && inTree(reference) !== undefined;
  return (
    <Combobox.Options
      mah={260}
      style={{ overflowY: 'auto' }}
      aria-label={label}
      // Before the answer arrives, the options belong to the previous search. A closed list is
      // never busy.
      aria-busy={open && !answered}
      {...list}
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
  );
}
