import { ActionIcon, TextInput } from '@mantine/core';
import { useEffect, useState } from 'react';
import { isComposing } from '../../kit/composing.ts';
import { common, t } from '../../kit/i18n/index.ts';
import { ToolButton } from '../../kit/page/ToolButton.tsx';
import {
  IconArrowDown,
  IconArrowUp,
  IconLetterCase,
  IconRegex,
  IconSearch,
  IconX,
} from '../icons.ts';
import type { SearchResult } from '../view/scrollback-search.ts';
import type { TerminalView } from '../view/terminal-view.ts';
import { words } from '../words.ts';
import styles from './SessionPane.module.css';

function countText({ index, count }: SearchResult): string {
  return count === 0
    ? t(words.findNone)
    : t(words.findCount, { index: index < 0 ? '…' : index + 1, count });
}

/** Search in the output of a terminal. */
export function SearchBar({
  view,
  onClose,
}: {
  readonly view: TerminalView;
  readonly onClose: () => void;
}) {
  const [text, setText] = useState('');
  const [caseSensitive, setCaseSensitive] = useState(false);
  const [regex, setRegex] = useState(false);
  const [result, setResult] = useState<SearchResult | null>(null);

  useEffect(() => view.on('found', setResult), [view]);
  useEffect(() => {
    if (text === '') {
      setResult(null);
      void view.search.clear();
    } else void view.search.find(text, 'previous', { caseSensitive, regex }, true);
  }, [view, text, caseSensitive, regex]);
  useEffect(() => () => void view.search.clear(), [view]);

  const find = (direction: 'next' | 'previous') => {
    if (text) void view.search.find(text, direction, { caseSensitive, regex });
  };
  return (
    <search className={styles.search}>
      <TextInput
        size="xs"
        autoFocus
        className={styles.searchText}
        aria-label={t(words.findInScrollback)}
        placeholder={t(words.find)}
        leftSection={<IconSearch size={14} />}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (isComposing(event)) return;
          if (event.key === 'Escape') onClose();
          // The match is usually above, so Enter goes up, as in a shell's history.
          else if (event.key === 'Enter') find(event.shiftKey ? 'next' : 'previous');
        }}
      />
      <span className={styles.found} role="status">
        {result && text ? countText(result) : ''}
      </span>
      <ToolButton
        label={t(words.matchCase)}
        size="sm"
        variant={caseSensitive ? 'light' : 'subtle'}
        color={caseSensitive ? 'teal' : 'gray'}
        aria-pressed={caseSensitive}
        onClick={() => setCaseSensitive(!caseSensitive)}
      >
        <IconLetterCase size={16} />
      </ToolButton>
      <ToolButton
        label={t(words.useRegex)}
        size="sm"
        variant={regex ? 'light' : 'subtle'}
        color={regex ? 'teal' : 'gray'}
        aria-pressed={regex}
        onClick={() => setRegex(!regex)}
      >
        <IconRegex size={15} />
      </ToolButton>
      <ActionIcon
        size="sm"
        variant="subtle"
        color="gray"
        aria-label={t(words.previous)}
        onClick={() => find('previous')}
      >
        <IconArrowUp size={16} />
      </ActionIcon>
      <ActionIcon
        size="sm"
        variant="subtle"
        color="gray"
        aria-label={t(words.next)}
        onClick={() => find('next')}
      >
        <IconArrowDown size={16} />
      </ActionIcon>
      <ActionIcon
        size="sm"
        variant="subtle"
        color="gray"
        aria-label={t(common.close)}
        onClick={onClose}
      >
        <IconX size={16} />
      </ActionIcon>
    </search>
  );
}
