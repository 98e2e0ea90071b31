import { TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { type EarlierStatement, MOST_HISTORY_SEARCH } from '@sallyport/contract';
import { useEffect, useState } from 'react';
import { SEARCH_DELAY } from '../../kit/api.ts';
import { t } from '../../kit/i18n/index.ts';
import styles from './Query.module.css';
import type { QueryState } from './query-state.ts';
import { words } from './words.ts';

interface Props {
  readonly history: QueryState['history'];
  /** Statements are running; they are logged when they end. */
  readonly isRunning: boolean;
  readonly onLoad: (search: string) => void;
  readonly onUse: (text: string) => void;
}

function outcomeText(outcome: Omit<EarlierStatement, 'text'>): string {
  if (outcome.is_declined) return ` ${t(words.declined)}`;
  if (outcome.is_denied) return ` ${t(words.denied)}`;
  return outcome.is_failed ? ` ${t(words.failed)}` : '';
}

/** The user's earlier statements with this database and account, from the command log. */
export function HistoryList({ history, isRunning, onLoad, onUse }: Props) {
  const [search, setSearch] = useState('');
  const [wanted] = useDebouncedValue(search.trim(), SEARCH_DELAY);
  useEffect(() => {
    if (!isRunning) onLoad(wanted);
  }, [wanted, isRunning, onLoad]);
  return (
    <>
      <TextInput
        size="xs"
        value={search}
        maxLength={MOST_HISTORY_SEARCH}
        onChange={(event) => setSearch(event.currentTarget.value)}
        placeholder={t(words.searchHistory)}
        aria-label={t(words.searchHistory)}
      />
      <ul className={styles.list} aria-label={t(words.historyHint)}>
        {history?.statements.map(({ text, ...outcome }) => (
          <li key={text}>
            <button
              type="button"
              className={styles.historyItem}
              aria-label={t(words.useAgain, { text: text.slice(0, 200) })}
              onClick={() => onUse(text)}
            >
              {text}
              <small className={styles.dim}>{outcomeText(outcome)}</small>
            </button>
          </li>
        ))}
        {history?.statements.length === 0 ? (
          <li className={styles.empty}>
            {t(history.search === '' ? words.noHistory : words.nothingFound)}
          </li>
        ) : null}
      </ul>
    </>
  );
}
