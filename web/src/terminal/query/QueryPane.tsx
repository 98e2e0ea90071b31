import { Badge, Button, Switch, Tabs, Tooltip } from '@mantine/core';
import { MAX_SCRIPT } from '@sallyport/contract';
import { useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { t } from '../../kit/i18n/index.ts';
import { Loading, lazyComponent } from '../../kit/lazy-component.tsx';
import { toast } from '../../kit/toast.tsx';
import { IconDownload, IconPlayerPlay, IconPlayerStop } from '../icons.ts';
import { ConnectingCard } from '../session/ConnectingCard.tsx';
import { CredentialsCard } from '../session/CredentialsCard.tsx';
import { FactorCard } from '../session/FactorCard.tsx';
import { Recorded } from '../session/StatusMark.tsx';
import frame from '../Window.module.css';
import { changedRows } from './changed-rows.ts';
import type { EditorHandle } from './Editor.tsx';
import styles from './Query.module.css';
import { QueryConnection } from './query-connection.ts';
import type { Outcome, QueryState } from './query-state.ts';
import { ResultGrid } from './ResultGrid.tsx';
import { RunQuestion } from './RunQuestion.tsx';
import { SidePanel } from './SidePanel.tsx';
import { words } from './words.ts';

const Editor = lazyComponent(() => import('./Editor.tsx').then((module) => module.Editor));

interface Props {
  readonly app: { readonly id: string; readonly name: string; readonly type: string };
  readonly account: { readonly id: string; readonly label: string };
  readonly isShown: boolean;
  /** True if the panel with schema and history is open. */
  readonly hasSide: boolean;
  readonly onClose: () => void;
}

const hasResult = (outcome: Outcome): outcome is Outcome & { readonly result: number } =>
  outcome.result !== null;

/** The result of one statement, in a line. */
function OutcomeLine({
  outcome,
  onGoTo,
}: {
  readonly outcome: Outcome;
  readonly onGoTo: (position: number) => void;
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

function Results({
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
          <OutcomeLine key={outcome.key} outcome={outcome} onGoTo={onGoTo} />
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
            <Tooltip label={t(words.exportDenied)} disabled={state.canExport}>
              <Button
                size="compact-sm"
                variant="default"
                leftSection={<IconDownload size={14} />}
                {...(!state.canExport && { 'aria-disabled': true, 'data-disabled': true })}
                loading={state.exporting === current.result}
                onClick={() => state.canExport && connection.exportResult(current.result)}
              >
                {t(words.export)}
              </Button>
            </Tooltip>
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

/** One database session: editor and results, with schema and history at the side. */
export function QueryPane({ app, account, isShown, hasSide, onClose }: Props) {
  const [connection] = useState(() => new QueryConnection(app.id, account.id));
  const state = useSyncExternalStore(connection.subscribe, connection.get);
  const editor = useRef<EditorHandle>(null);
  useEffect(() => {
    connection.open();
    return connection.close;
  }, [connection]);
  const { phase, isRunning } = state;
  const isOpen = phase.name === 'open';
  const isRedis = isOpen && phase.database === 'redis';

  const start = (text: string, at?: number) => {
    if (text.trim() === '') return;
    if (new TextEncoder().encode(text).length > MAX_SCRIPT)
      toast.error(t(words.tooLong, { max: MAX_SCRIPT / 1024 }));
    else connection.run(text, at);
  };
  const run = () => {
    const { text, at } = editor.current?.statement() ?? { text: '' };
    start(text, at);
  };
  const runAll = () => start(editor.current?.all() ?? '');

  return (
    <div className={styles.pane} hidden={!isShown}>
      {phase.name === 'connecting' ? (
        <div className={frame.centered}>
          <ConnectingCard
            hostname={app.name}
            stage={phase.stage}
            host={phase.host}
            gateway={phase.gateway}
            account={account.label}
            onCancel={onClose}
          />
        </div>
      ) : null}
      {phase.name === 'credentials' ? (
        <div className={frame.centered}>
          <CredentialsCard
            hostname={app.name}
            username={phase.username}
            reason={phase.reason}
            isNamed={app.type !== 'redis'}
            onAnswer={connection.credentials}
            onCancel={onClose}
          />
        </div>
      ) : null}
      {phase.name === 'factor' ? (
        <div className={frame.centered}>
          <FactorCard
            hostname={app.name}
            again={phase.again}
            onAnswer={connection.factor}
            onCancel={onClose}
          />
        </div>
      ) : null}
      {phase.name === 'closed' ? (
        <div className={styles.ended} role="alert">
          <strong>{t(words.closed)}</strong>
          <span>{phase.message ?? t(words.lost)}</span>
          {phase.retry ? (
            <Button size="compact-sm" onClick={connection.open}>
              {t(words.reconnect)}
            </Button>
          ) : null}
        </div>
      ) : null}
      {isOpen ? (
        <div className={styles.work}>
          {hasSide ? (
            <SidePanel
              connection={connection}
              state={state}
              isRedis={isRedis}
              onInsert={(text) => editor.current?.insert(text)}
              onUse={(text) => editor.current?.insert(text)}
            />
          ) : null}
          <div className={frame.main}>
            <div className={styles.toolbar} role="toolbar" aria-label={t(words.editor)}>
              {isRunning ? (
                <Button
                  size="compact-sm"
                  color="red"
                  leftSection={<IconPlayerStop size={14} />}
                  onClick={connection.cancel}
                >
                  {t(words.cancel)}
                </Button>
              ) : (
                <Tooltip label={t(words.runHint)}>
                  <Button
                    size="compact-sm"
                    leftSection={<IconPlayerPlay size={14} />}
                    onClick={run}
                  >
                    {t(words.run)}
                  </Button>
                </Tooltip>
              )}
              <Tooltip label={t(words.runAllHint)}>
                <Button size="compact-sm" variant="default" disabled={isRunning} onClick={runAll}>
                  {t(words.runAll)}
                </Button>
              </Tooltip>
              {isRedis ? null : (
                <>
                  <Switch
                    size="xs"
                    label={t(words.autocommit)}
                    checked={state.autocommit}
                    disabled={isRunning}
                    onChange={(event) => connection.setAutocommit(event.currentTarget.checked)}
                  />
                  <Badge
                    size="sm"
                    variant="light"
                    color={
                      state.transaction === 'none'
                        ? 'gray'
                        : state.transaction === 'open'
                          ? 'yellow'
                          : 'red'
                    }
                    aria-live="polite"
                  >
                    {t(
                      {
                        none: words.transactionNone,
                        open: words.transactionOpen,
                        failed: words.transactionFailed,
                      }[state.transaction],
                    )}
                  </Badge>
                  {state.transaction === 'none' ? null : (
                    <>
                      <Button
                        size="compact-sm"
                        variant="default"
                        disabled={isRunning || state.transaction === 'failed'}
                        onClick={() => connection.run('commit')}
                      >
                        {t(words.commit)}
                      </Button>
                      <Button
                        size="compact-sm"
                        variant="default"
                        disabled={isRunning}
                        onClick={() => connection.run('rollback')}
                      >
                        {t(words.rollback)}
                      </Button>
                    </>
                  )}
                </>
              )}
              <span className={styles.toolbarGap} />
              <span className={styles.where}>
                {phase.account}
                {phase.database_name ? ` · ${phase.database_name}` : ''}
              </span>
              <span className={styles.facts}>
                <Recorded />
              </span>
              {state.isReadOnly ? (
                <Badge size="sm" variant="outline" color="gray">
                  {t(words.readOnly)}
                </Badge>
              ) : null}
            </div>
            <Loading fallback={<div className={styles.editor} />}>
              <Editor
                handle={editor}
                label={t(words.editor)}
                database={phase.database}
                schema={state.schema}
                onRun={run}
                onRunAll={runAll}
              />
            </Loading>
            <Results
              connection={connection}
              state={state}
              isRedis={isRedis}
              onGoTo={(position) => editor.current?.goTo(position)}
            />
          </div>
        </div>
      ) : null}
      <RunQuestion state={state} onAnswer={connection.answer} />
    </div>
  );
}
