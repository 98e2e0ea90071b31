import { Popover, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, useEffect, useId, useState } from 'react';
import { isComposing } from '../../../kit/composing.ts';
import { language, t } from '../../../kit/i18n/index.ts';
import { IconSearch } from '../../../kit/icons.ts';
import { useGo, usePath } from '../../base/navigation.tsx';
import { Marked } from '../../resource/list/search/Marked.tsx';
import { type FoundSection, findSections, type Section } from './guide-search.ts';
import styles from './Help.module.css';
import { words } from './words.ts';

const NONE: readonly Section[] = [];

interface ResultProps {
  readonly found: FoundSection;
  readonly query: string;
  readonly id: string;
  readonly selected: boolean;
  readonly onPick: () => void;
}

function Result({ found: { section, excerpt }, query, id, selected, onPick }: ResultProps) {
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the field, which keeps the focus
    <div
      id={id}
      role="option"
      tabIndex={-1}
      aria-selected={selected}
      className={styles.result}
      onMouseDown={(event) => event.preventDefault()}
      onClick={onPick}
    >
      <span className={styles.above}>{section.above.join(' › ')}</span>
      <strong>
        <Marked text={section.title} search={query} />
      </strong>
      {excerpt && (
        <span className={styles.excerpt}>
          <Marked text={excerpt} search={query} />
        </span>
      )}
    </div>
  );
}

interface ResultsProps {
  readonly id: string;
  readonly results: readonly FoundSection[];
  readonly query: string;
  readonly selected: number;
  readonly idOf: (index: number) => string;
  readonly onPick: (section: FoundSection) => void;
}

function Results({ id, results, query, selected, idOf, onPick }: ResultsProps) {
  if (results.length === 0)
    return (
      <div role="status" className={styles.result}>
        {t(words.nothingInGuides)}
      </div>
    );
  return (
    <div
      id={id}
      role="listbox"
      aria-label={t(words.searchGuides)}
      className={styles.results}
      tabIndex={-1}
    >
      {results.map((one, index) => (
        <Result
          key={`${one.section.guide}-${one.section.id}`}
          found={one}
          query={query}
          id={idOf(index)}
          selected={index === selected}
          onPick={() => onPick(one)}
        />
      ))}
    </div>
  );
}

/** Searches headings and text of all guides. The keys are those of a combobox. */
export function GuideSearch({ load }: { readonly load: () => Promise<readonly Section[]> }) {
  const list = useId();
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const [isOpen, setOpen] = useState(false);
  const go = useGo();
  const path = usePath();
  const query = text.trim();
  const sections = useQuery({
    queryKey: ['guide-sections', language],
    queryFn: load,
    staleTime: Number.POSITIVE_INFINITY,
    enabled: isOpen,
  });
  const results = findSections(sections.data ?? NONE, query);
  const isShown = isOpen && query !== '' && sections.data !== undefined;
  const selected = Math.min(at, results.length - 1);
  const idOf = (index: number) => `${list}-${index}`;
  useEffect(() => {
    document.getElementById(`${list}-${selected}`)?.scrollIntoView({ block: 'nearest' });
  }, [list, selected]);

  function pick({ section: { guide, id } }: FoundSection) {
    setOpen(false);
    setText('');
    void go(path, { search: { guide: guide === 'user' ? undefined : guide }, hash: id });
  }

  function onKeyDown(event: KeyboardEvent<HTMLInputElement>) {
    // Ignore keys of an input method during composition.
    if (isComposing(event)) return;
    const chosen = results[selected];
    if (event.key === 'ArrowDown') setAt(Math.min(selected + 1, results.length - 1));
    else if (event.key === 'ArrowUp') setAt(Math.max(selected - 1, 0));
    else if (event.key === 'Enter' && chosen) pick(chosen);
    else if (event.key === 'Escape' && isShown) setOpen(false);
    else return;
    event.preventDefault();
  }

  return (
    <Popover
      opened={isShown}
      position="bottom-end"
      width={480}
      offset={4}
      shadow="md"
      transitionProps={{ duration: 0 }}
      withRoles={false}
      closeOnClickOutside={false}
      closeOnEscape={false}
    >
      <Popover.Target>
        <TextInput
          size="xs"
          className={styles.search}
          role="combobox"
          aria-label={t(words.searchGuides)}
          aria-expanded={isShown}
          aria-controls={isShown ? list : undefined}
          aria-activedescendant={isShown && results.length > 0 ? idOf(selected) : undefined}
          aria-autocomplete="list"
          autoComplete="off"
          data-page-search
          placeholder={t(words.searchGuides)}
          leftSection={<IconSearch size={14} />}
          value={text}
          maxLength={128}
          onChange={(event) => {
            setText(event.currentTarget.value);
            setAt(0);
            setOpen(true);
          }}
          onFocus={() => setOpen(true)}
          onBlur={() => setOpen(false)}
          onKeyDown={onKeyDown}
        />
      </Popover.Target>
      <Popover.Dropdown p={4} maw="calc(100vw - 32px)">
        <Results
          id={list}
          results={results}
          query={query}
          selected={selected}
          idOf={idOf}
          onPick={pick}
        />
      </Popover.Dropdown>
    </Popover>
  );
}
