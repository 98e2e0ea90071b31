import { MAX_SCRIPT } from '@sallyport/contract';
import { useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { toast } from '../../kit/dialogs/toast.tsx';
import { t } from '../../kit/i18n/index.ts';
import { lazyComponent } from '../../kit/lazy-component.tsx';
import frame from '../Window.module.css';
import { BeforeQuery, type QueriedApp } from './BeforeQuery.tsx';
import type { EditorHandle } from './Editor.tsx';
import styles from './Query.module.css';
import { QueryToolbar } from './QueryToolbar.tsx';
import { QueryConnection } from './query-connection.ts';
import { Results } from './Results.tsx';
import { RunQuestion } from './RunQuestion.tsx';
import { SidePanel } from './SidePanel.tsx';
import { words } from './words.ts';

const Editor = lazyComponent(
  () => import('./Editor.tsx').then((module) => module.Editor),
  <div className={styles.editor} />,
);

interface Props {
  readonly app: QueriedApp;
  readonly account: { readonly id: string; readonly label: string };
  readonly isShown: boolean;
  /** True if the panel with schema and history is open. */
  readonly hasSide: boolean;
  readonly onClose: () => void;
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
  const { phase } = state;
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
      <BeforeQuery
        app={app}
        account={account}
        connection={connection}
        phase={phase}
        onClose={onClose}
      />
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
            {/* The live region exists before its text: screen readers announce changes only. */}
            <p className={frame.notice} role="status">
              {state.notice}
            </p>
            <QueryToolbar
              connection={connection}
              state={state}
              phase={phase}
              onRun={run}
              onRunAll={runAll}
            />
            <Editor
              handle={editor}
              label={t(words.editor)}
              database={phase.database}
              schema={state.schema}
              onRun={run}
              onRunAll={runAll}
            />
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
