import { Badge, Button, Switch, Tooltip } from '@mantine/core';
import { t } from '../../kit/i18n/index.ts';
import { IconPlayerPlay, IconPlayerStop } from '../icons.ts';
import { Recorded } from '../session/StatusMark.tsx';
import styles from './Query.module.css';
import type { QueryConnection } from './query-connection.ts';
import type { Phase, QueryState } from './query-state.ts';
import { words } from './words.ts';

interface ToolsProps {
  readonly connection: QueryConnection;
  readonly state: QueryState;
}

/** The commit mode, the state of the transaction, and the buttons that end it. */
function TransactionTools({ connection, state }: ToolsProps) {
  const { isRunning } = state;
  return (
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
          state.transaction === 'none' ? 'gray' : state.transaction === 'open' ? 'yellow' : 'red'
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
  );
}

interface ToolbarProps extends ToolsProps {
  readonly phase: Extract<Phase, { readonly name: 'open' }>;
  readonly onRun: () => void;
  readonly onRunAll: () => void;
}

/** The tools above the editor: run, cancel, transaction, and the place where statements run. */
export function QueryToolbar({ connection, state, phase, onRun, onRunAll }: ToolbarProps) {
  const { isRunning } = state;
  const isRedis = phase.database === 'redis';
  return (
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
          <Button size="compact-sm" leftSection={<IconPlayerPlay size={14} />} onClick={onRun}>
            {t(words.run)}
          </Button>
        </Tooltip>
      )}
      <Tooltip label={t(words.runAllHint)}>
        <Button size="compact-sm" variant="default" disabled={isRunning} onClick={onRunAll}>
          {t(words.runAll)}
        </Button>
      </Tooltip>
      {isRedis ? null : <TransactionTools connection={connection} state={state} />}
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
  );
}
