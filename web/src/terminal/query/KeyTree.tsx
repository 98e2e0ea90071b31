import { ActionIcon, Button, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { MOST_KEY } from '@sallyport/contract';
import { useEffect, useMemo, useState } from 'react';
import { SEARCH_DELAY } from '../../kit/api.ts';
import { formatDuration } from '../../kit/format/format.ts';
import { t } from '../../kit/i18n/index.ts';
import { IconChevronDown, IconChevronRight, IconRefresh } from '../icons.ts';
import styles from './Query.module.css';
import type { QueryConnection } from './query-connection.ts';
import type { QueryState } from './query-state.ts';
import { words } from './words.ts';

/** A level of keys, or a key, by the parts of its name between colons. */
interface KeyLevel {
  readonly name: string;
  /** The key of this name; undefined if the name is only a prefix of keys. */
  readonly key: string | undefined;
  readonly levels: readonly KeyLevel[];
  /** Keys at and below it. */
  readonly count: number;
}

interface Growing {
  key?: string;
  readonly levels: Map<string, Growing>;
}

/** Maximum depth; the rest of a deeper key is one name. */
const MOST_LEVELS = 12;

/** Keys as a tree: each colon begins a level. */
function levelsOf(keys: readonly string[]): readonly KeyLevel[] {
  const root: Growing = { levels: new Map() };
  for (const key of keys) {
    const parts = key.split(':');
    const names =
      parts.length > MOST_LEVELS
        ? [...parts.slice(0, MOST_LEVELS - 1), parts.slice(MOST_LEVELS - 1).join(':')]
        : parts;
    let at = root;
    for (const name of names) {
      const next = at.levels.get(name) ?? { levels: new Map() };
      at.levels.set(name, next);
      at = next;
    }
    at.key = key;
  }
  return finished(root);
}

function finished({ levels }: Growing): readonly KeyLevel[] {
  return [...levels].map(([name, level]) => {
    const below = finished(level);
    return {
      name,
      key: level.key,
      levels: below,
      count: below.reduce((sum, { count }) => sum + count, level.key === undefined ? 0 : 1),
    };
  });
}

/** Entries of one level that are drawn. */
const MOST_SHOWN = 300;
/** `formatDuration` returns an empty text up to one second. */
const OVER_A_SECOND = 1.001;

function Level({
  level,
  onOpen,
}: {
  readonly level: KeyLevel;
  readonly onOpen: (key: string) => void;
}) {
  const [open, setOpen] = useState(false);
  const { name, key, levels, count } = level;
  return (
    <li>
      <div className={styles.treeRow} data-leaf={levels.length === 0 || undefined}>
        {levels.length > 0 ? (
          <ActionIcon
            variant="subtle"
            color="gray"
            size="sm"
            aria-expanded={open}
            aria-label={t(words.keyLevel, { name: `${name}:`, count })}
            onClick={() => setOpen(!open)}
          >
            {open ? <IconChevronDown size={14} /> : <IconChevronRight size={14} />}
          </ActionIcon>
        ) : null}
        {key === undefined ? (
          <span className={styles.keyLevel}>
            {name}: <small>{count}</small>
          </span>
        ) : (
          <button
            type="button"
            className={styles.treeName}
            title={key}
            aria-label={t(words.openKey, { name: key })}
            onClick={() => onOpen(key)}
          >
            {name === '' ? '""' : name}
          </button>
        )}
      </div>
      {open ? <Levels levels={levels} onOpen={onOpen} /> : null}
    </li>
  );
}

function Levels({
  levels,
  onOpen,
}: {
  readonly levels: readonly KeyLevel[];
  readonly onOpen: (key: string) => void;
}) {
  return (
    <ul className={styles.keyLevels}>
      {levels.slice(0, MOST_SHOWN).map((level) => (
        <Level key={level.name} level={level} onOpen={onOpen} />
      ))}
      {levels.length > MOST_SHOWN ? <li className={styles.empty}>{t(words.schemaCut)}</li> : null}
    </ul>
  );
}

/**
 * The keys of a Redis server as a tree. The server logs every command that finds keys or reads a
 * value.
 */
export function KeyTree({
  connection,
  state,
}: {
  readonly connection: QueryConnection;
  readonly state: QueryState;
}) {
  const [prefix, setPrefix] = useState('');
  const { keys: found, key: opened, isRunning } = state;
  const [wanted] = useDebouncedValue(prefix, SEARCH_DELAY);
  useEffect(() => connection.loadKeys(wanted), [wanted, connection]);
  const levels = useMemo(() => levelsOf(found?.keys ?? []), [found?.keys]);
  const cursor = found?.cursor ?? null;
  return (
    <>
      <div className={styles.searchRow}>
        <TextInput
          size="xs"
          value={prefix}
          maxLength={MOST_KEY}
          onChange={(event) => setPrefix(event.currentTarget.value)}
          placeholder={t(words.searchKeys)}
          aria-label={t(words.searchKeys)}
        />
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={t(words.refresh)}
          disabled={isRunning}
          onClick={() => connection.loadKeys(prefix)}
        >
          <IconRefresh size={16} />
        </ActionIcon>
      </div>
      <section className={styles.list} aria-label={t(words.keys)}>
        <Levels levels={levels} onOpen={connection.openKey} />
        {found?.message ? (
          <p role="alert" className={styles.empty}>
            {found.message}
          </p>
        ) : null}
        {found && !found.message && cursor === null && levels.length === 0 ? (
          <p className={styles.empty}>{t(words.noKeys)}</p>
        ) : null}
        {found && cursor !== null ? (
          <Button
            size="compact-xs"
            variant="default"
            disabled={isRunning}
            onClick={() => connection.loadKeys(found.prefix, cursor)}
          >
            {t(words.moreKeys)}
          </Button>
        ) : null}
      </section>
      <p className={styles.empty} aria-live="polite">
        {opened
          ? `${opened.key} · ${opened.kind} · ${opened.seconds === null ? t(words.keyNever) : t(words.keyExpires, { time: formatDuration(Math.max(opened.seconds, OVER_A_SECOND)) })}`
          : ''}
      </p>
    </>
  );
}
