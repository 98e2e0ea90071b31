import { ActionIcon, SegmentedControl, TextInput } from '@mantine/core';
import type { SchemaTable } from '@sallyport/contract';
import { useState } from 'react';
import { t } from '../../kit/i18n/index.ts';
import { IconChevronDown, IconChevronRight, IconRefresh } from '../icons.ts';
import { HistoryList } from './HistoryList.tsx';
import { KeyTree } from './KeyTree.tsx';
import styles from './Query.module.css';
import type { QueryConnection } from './query-connection.ts';
import type { QueryState } from './query-state.ts';
import { words } from './words.ts';

/** Tables, and commands, that are drawn at once; the search finds the others. */
const MOST_SHOWN = 300;

interface Props {
  readonly connection: QueryConnection;
  readonly state: QueryState;
  readonly isRedis: boolean;
  readonly onInsert: (text: string) => void;
  readonly onUse: (text: string) => void;
}

/** A name for a statement, quoted for the database if necessary. */
function quoted(name: string, isMysql: boolean): string {
  if (/^[a-z_][a-z0-9_]*$/.test(name)) return name;
  return isMysql ? `\`${name.replaceAll('`', '``')}\`` : `"${name.replaceAll('"', '""')}"`;
}

function Table({
  table,
  isMysql,
  isOpen,
  onInsert,
}: {
  readonly table: SchemaTable;
  readonly isMysql: boolean;
  readonly isOpen: boolean;
  readonly onInsert: (text: string) => void;
}) {
  const [chosen, setChosen] = useState<boolean>();
  const open = chosen ?? isOpen;
  const name = `${quoted(table.schema, isMysql)}.${quoted(table.name, isMysql)}`;
  return (
    <li>
      <div className={styles.treeRow}>
        <ActionIcon
          variant="subtle"
          color="gray"
          size="sm"
          aria-expanded={open}
          aria-label={`${table.schema}.${table.name}`}
          onClick={() => setChosen(!open)}
        >
          {open ? <IconChevronDown size={14} /> : <IconChevronRight size={14} />}
        </ActionIcon>
        <button
          type="button"
          className={styles.treeName}
          aria-label={t(words.insertName, { name })}
          onClick={() => onInsert(name)}
        >
          <span className={styles.dim}>{table.schema}.</span>
          {table.name}
          {table.kind === 'view' ? <small> {t(words.view)}</small> : null}
        </button>
      </div>
      {open ? (
        <ul className={styles.columns}>
          {table.columns.map((column) => (
            <li key={column.name}>
              <button
                type="button"
                className={styles.treeName}
                aria-label={t(words.insertName, { name: column.name })}
                onClick={() => onInsert(quoted(column.name, isMysql))}
              >
                {column.name} <small>{column.type}</small>
              </button>
            </li>
          ))}
        </ul>
      ) : null}
    </li>
  );
}

/** The schema of the database and the user's history, next to the editor. */
export function SidePanel({ connection, state, isRedis, onInsert, onUse }: Props) {
  const [tab, setTab] = useState('schema');
  const [search, setSearch] = useState('');
  const { phase, schema, history } = state;
  const isMysql = phase.name === 'open' && phase.database !== 'postgresql';
  const term = search.trim().toLowerCase();
  const tables = (schema?.tables ?? []).filter(
    ({ schema: place, name, columns }) =>
      `${place}.${name}`.toLowerCase().includes(term) ||
      (term !== '' && columns.some((column) => column.name.toLowerCase().includes(term))),
  );
  const commands = (schema?.commands ?? []).filter((name) => name.toLowerCase().includes(term));
  return (
    <div className={styles.side}>
      <SegmentedControl
        size="xs"
        fullWidth
        value={tab}
        onChange={setTab}
        data={[
          { value: 'schema', label: t(isRedis ? words.commands : words.schema) },
          ...(isRedis ? [{ value: 'keys', label: t(words.keys) }] : []),
          { value: 'history', label: t(words.history) },
        ]}
      />
      {tab === 'history' ? (
        <HistoryList
          history={history}
          isRunning={state.isRunning}
          onLoad={connection.loadHistory}
          onUse={onUse}
        />
      ) : tab === 'keys' ? (
        <KeyTree connection={connection} state={state} />
      ) : (
        <>
          <div className={styles.searchRow}>
            <TextInput
              size="xs"
              value={search}
              onChange={(event) => setSearch(event.currentTarget.value)}
              placeholder={t(isRedis ? words.searchCommands : words.searchSchema)}
              aria-label={t(isRedis ? words.searchCommands : words.searchSchema)}
            />
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={t(words.refresh)}
              disabled={phase.name !== 'open' || state.isRunning}
              onClick={connection.loadSchema}
            >
              <IconRefresh size={16} />
            </ActionIcon>
          </div>
          <ul className={styles.list} aria-label={t(isRedis ? words.commands : words.schema)}>
            {isRedis
              ? commands.slice(0, MOST_SHOWN).map((name) => (
                  <li key={name}>
                    <button
                      type="button"
                      className={styles.treeName}
                      aria-label={t(words.insertName, { name })}
                      onClick={() => onInsert(`${name} `)}
                    >
                      {name}
                    </button>
                  </li>
                ))
              : tables
                  .slice(0, MOST_SHOWN)
                  .map((table) => (
                    <Table
                      key={`${table.schema}.${table.name}`}
                      table={table}
                      isMysql={isMysql}
                      isOpen={term.length > 1 && tables.length < 10}
                      onInsert={onInsert}
                    />
                  ))}
            {schema && !isRedis && schema.tables.length === 0 ? (
              <li className={styles.empty}>{t(words.noTables)}</li>
            ) : null}
            {schema?.isCut || tables.length > MOST_SHOWN ? (
              <li className={styles.empty}>{t(words.schemaCut)}</li>
            ) : null}
          </ul>
        </>
      )}
    </div>
  );
}
