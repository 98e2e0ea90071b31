import { Badge, Button, Menu, Tabs, Tooltip } from '@mantine/core';
import { EXPORT_FORMATS, type ExportFormat } from '@sallyport/contract';
import { useState } from 'react';
import { t } from '../../kit/i18n/index.ts';
import { IconChevronDown, IconDownload } from '../icons.ts';
import styles from './Query.module.css';
import type { QueryConnection } from './query-connection.ts';
import type { Outcome, QueryState } from './query-state.ts';
import { ResultGrid } from './ResultGrid.tsx';
import { words } from './words.ts';

const VERBS = {
  delete: words.rowsDeleted,
  update: words.rowsUpdated,
  insert: words.rowsInserted,
} as const;

/** Says what a statement did to its rows: "60,000 rows deleted". */
export function changedRows(statement: string, count: number): string {
  const [verb = ''] = /^[a-z]+/i.exec(statement.trimStart()) ?? [];
  const name = verb.toLowerCase();
  return t(name === 'delete' || name === 'update' || name === 'insert' ? VERBS[name] : words.rows, {
    count,
  });
}

const hasResult = (outcome: Outcome): outcome is Outcome & { readonly result: number } =>
  outcome.result !== null;

/** Downloads the undo scripts of a statement, or says why there is none. */
function UndoScripts({
  outcome: { scripts, noScript },
  state: { canExport, exporting },
  onDownload,
}: {
  readonly outcome: Outcome;
  readonly state: QueryState;
  readonly onDownload: (script: string) => void;
}) {
  return (
    <>
      {scripts.map(({ id, rows }) => (
        <Tooltip key={id} label={t(words.undoDenied)} disabled={canExport}>
          <Button
            size="compact-xs"
            variant="default"
            leftSection={<IconDownload size={14} />}
            {...(!canExport && { 'aria-disabled': true, 'data-disabled': true })}
            loading={exporting === id}
            onClick={() => canExport && exporting === null && onDownload(id)}
          >
            {t(words.undoScript, { count: rows })}
          </Button>
        </Tooltip>
      ))}
      {noScript === null ? null : <span className={styles.facts}>{noScript}</span>}
    </>
  );
}

/** The result of one statement, in a line. */
function OutcomeLine({
  outcome,
  state: query,
  onGoTo,
  onDownload,
}: {
  readonly outcome: Outcome;
  readonly state: QueryState;
  readonly onGoTo: (position: number) => void;
  readonly onDownload: (script: string) => void;
}) {
  const { error, isRefused, isOver, rows, milliseconds, isCut, position, text, from } = outcome;
  const state =
    error !== null
      ? t(isRefused ? words.refused : words.failed)
      : t(isOver ? words.done : words.running);
  const facts = [
    rows === null
      ? ''
      : outcome.result === null
        ? changedRows(text, rows)
        : t(words.rows, { count: rows }),
    milliseconds === null ? '' : t(words.milliseconds, { time: milliseconds }),
    isCut ? t(words.cut) : '',
  ];
  return (
    <div className={styles.outcome} data-failed={error !== null || undefined}>
      <Badge size="sm" variant="light" color={error !== null ? 'red' : isOver ? 'teal' : 'blue'}>
        {state}
      </Badge>
      <button type="button" className={styles.outcomeText} onClick={() => onGoTo(from)}>
        <code>{text}</code>
      </button>
      <span className={styles.facts}>{facts.filter(Boolean).join(' · ')}</span>
      <UndoScripts outcome={outcome} state={query} onDownload={onDownload} />
      {error === null ? null : position === null ? (
        <p role="alert">{error}</p>
      ) : (
        <p role="alert">
          <button type="button" onClick={() => onGoTo(position)}>
            {error}
          </button>
        </p>
      )}
    </div>
  );
}

const EXPORT_WORDS = { csv: words.exportCsv, xlsx: words.exportXlsx } as const;

/** Saves a result as a file of the chosen type. */
function ExportMenu({
  state: { canExport, exporting },
  result,
  onExport,
}: {
  readonly state: QueryState;
  readonly result: number;
  readonly onExport: (format: ExportFormat) => void;
}) {
  return (
    <Menu position="bottom-end" disabled={!canExport}>
      <Tooltip label={t(words.exportDenied)} disabled={canExport}>
        <Menu.Target>
          <Button
            size="compact-sm"
            variant="default"
            leftSection={<IconDownload size={14} />}
            rightSection={<IconChevronDown size={14} />}
            {...(!canExport && { 'aria-disabled': true, 'data-disabled': true })}
            loading={exporting === result}
          >
            {t(words.export)}
          </Button>
        </Menu.Target>
      </Tooltip>
      <Menu.Dropdown>
        {EXPORT_FORMATS.map((format) => (
          <Menu.Item key={format} onClick={() => onExport(format)}>
            {t(EXPORT_WORDS[format])}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

export function Results({
  connection,
  state,
  isRedis,
  onGoTo,
}: {
  readonly connection: QueryConnection;
  readonly state: QueryState;
  readonly isRedis: boolean;
  readonly onGoTo: (position: number) => void;
}) {
  const withResult = state.outcomes.filter(hasResult);
  const [chosen, setChosen] = useState<string>();
  const current = withResult.find(({ key }) => String(key) === chosen) ?? withResult.at(-1);
  return (
    <section className={styles.results} aria-label={t(words.results)}>
      <div className={styles.outcomes} aria-live="polite">
        {state.outcomes.length === 0 ? <p className={styles.empty}>{t(words.noResults)}</p> : null}
        {state.outcomes.map((outcome) => (
          <OutcomeLine
            key={outcome.key}
            outcome={outcome}
            state={state}
            onGoTo={onGoTo}
            onDownload={connection.downloadScript}
          />
        ))}
      </div>
      {current ? (
        <>
          <div className={styles.resultBar}>
            <Tabs
              value={String(current.key)}
              onChange={(key) => setChosen(key ?? undefined)}
              keepMounted={false}
            >
              <Tabs.List>
                {withResult.map(({ key }, index) => (
                  <Tabs.Tab key={key} value={String(key)} fz="sm">
                    {t(words.result, { number: index + 1 })}
                  </Tabs.Tab>
                ))}
              </Tabs.List>
            </Tabs>
            <ExportMenu
              state={state}
              result={current.result}
              onExport={(format) => connection.exportResult(current.result, format)}
            />
          </div>
          {isRedis && current.isOver && current.rows === 0 ? (
            <p className={styles.answer} role="status">
              {t(words.emptyList)}
            </p>
          ) : (
            <ResultGrid
              key={current.result}
              connection={connection}
              outcome={current}
              label={t(words.result, { number: withResult.indexOf(current) + 1 })}
            />
          )}
        </>
      ) : null}
    </section>
  );
}
