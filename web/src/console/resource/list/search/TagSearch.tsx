import { CloseButton, Input, Popover, VisuallyHidden } from '@mantine/core';
import { useId, useRef } from 'react';
import { t } from '../../../../kit/i18n/index.ts';
import { IconSearch } from '../../../../kit/icons.ts';
import { words } from '../words.ts';
import { tagText } from './search-fields.ts';
import styles from './TagSearch.module.css';
import { type TagSearchProps, useTagSearch } from './useTagSearch.ts';

/** A condition with a remove button. */
function Tag({ label, onRemove }: { readonly label: string; readonly onRemove: () => void }) {
  return (
    <span className={styles.tag}>
      <span className={styles.label}>{label}</span>
      <CloseButton
        size={24}
        iconSize={12}
        variant="transparent"
        aria-label={t(words.removeTag, { tag: label })}
        onClick={onRemove}
      />
    </span>
  );
}

type Model = ReturnType<typeof useTagSearch>;

/** The conditions of the search as tags. */
function Tags({ fields, presets, filters, model }: TagSearchProps & { readonly model: Model }) {
  const { terms, names, finish, without, withoutTerm } = model;
  return (
    <>
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
          label={presets?.find(({ search: wish }) => wish === raw)?.label ?? raw}
          onRemove={() => withoutTerm(index)}
        />
      ))}
    </>
  );
}

interface OptionsProps {
  readonly id: string;
  readonly model: Model;
  readonly idOf: (index: number) => string;
}

/** The offered conditions below the field. */
function Options({ id, model: { offered, marked }, idOf }: OptionsProps) {
  return (
    <div role="listbox" id={id} aria-label={t(words.searchBy)} className={styles.options}>
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
  );
}

/**
 * The search field of a list: each condition becomes a tag. Text without a field searches all
 * fields and must match every word.
 */
export function TagSearch(props: TagSearchProps) {
  const { search, filters } = props;
  const field = useRef<HTMLInputElement>(null);
  const help = useId();
  const list = useId();
  const model = useTagSearch(props, list);
  const { text, chosen, marked, offered, isShown, finish } = model;
  const idOf = (index: number) => `${list}-${index}`;
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
            <Tags {...props} model={model} />
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
              onChange={(event) => model.type(event.currentTarget.value)}
              onFocus={model.open}
              onClick={model.open}
              onBlur={() => {
                model.close();
                // Leaving the field submits the typed text (conformance 9.6).
                if (model.typed && !chosen?.choices) offered[0]?.pick();
              }}
              onKeyDown={model.onKeyDown}
            />
          </div>
        </Input>
      </Popover.Target>
      <VisuallyHidden id={help}>{t(words.searchHelp)}</VisuallyHidden>
      <Popover.Dropdown p={4}>
        <Options id={list} model={model} idOf={idOf} />
        {!chosen && (
          <div className={styles.help} aria-hidden="true">
            {t(words.searchHelp)}
          </div>
        )}
      </Popover.Dropdown>
    </Popover>
  );
}
