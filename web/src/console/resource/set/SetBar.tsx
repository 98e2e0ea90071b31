import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import type { BulkChange } from '@sallyport/contract';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { api } from '../../../kit/api.ts';
import { plannedFor } from '../../../kit/consequences/useConsequences.ts';
import { words as consequenceWords } from '../../../kit/consequences/words.ts';
import { askFirst, confirmed } from '../../../kit/dialogs/confirm.ts';
import type { Confirmation } from '../../../kit/dialogs/confirmation.ts';
import { common, t } from '../../../kit/i18n/index.ts';
import { lazyComponent } from '../../../kit/lazy-component.tsx';
import { words as bulkWords } from '../bulk/words.ts';
import { restoreBatch } from '../deleted/restore.ts';
import { JobProgress } from '../job/JobProgress.tsx';
import { useJob } from '../job/useJob.ts';
import { countOf } from '../list/empty-title.ts';
import styles from '../list/List.module.css';
import type { BulkUpdate } from '../list/ListDialogs.tsx';
import type { ChosenSet } from '../list/selection/selection.ts';
import type { RowAction } from '../list/table/RowActions.tsx';
import { words as listWords } from '../list/words.ts';
import { cacheKey, type Source } from '../source.ts';
import { words } from './words.ts';

const BulkUpdateDialog = lazyComponent(() =>
  import('../bulk/BulkUpdateDialog.tsx').then((module) => module.BulkUpdateDialog),
);

/** Asks for confirmation, then starts a job that changes all objects of the set. */
export type BeginBulk = (
  change: Pick<BulkChange, 'action' | 'changes' | 'target'>,
  question: Omit<Confirmation, 'run' | 'success'>,
) => void;

/** Actions of a list on a set of its rows. */
export interface SetChanges {
  readonly remove: boolean;
  readonly update: BulkUpdate | undefined;
  readonly more: ((set: ChosenSet, begin: BeginBulk) => readonly RowAction[]) | undefined;
}

interface SetBarProps {
  readonly source: Source;
  readonly set: ChosenSet;
  /** True if the query of the list is still that of the set. */
  readonly isOfList: boolean;
  readonly changes: SetChanges;
  readonly onClear: () => void;
}

interface SetContext extends Pick<SetBarProps, 'source' | 'set' | 'changes'> {
  readonly begin: BeginBulk;
  /** Opens the dialog for changed values. */
  readonly onUpdate: () => void;
}

/** Returns the actions on a set of rows of a source. */
function actionsOn({ source, set, changes, begin, onUpdate }: SetContext): readonly RowAction[] {
  const { spm, count } = set;
  const consequencesOf = (action: 'delete' | 'disable' | 'enable') => {
    const consequences = plannedFor(source, action, { spm });
    return consequences && { consequences };
  };
  const isSwitched =
    (changes.remove || changes.update) &&
    source.fields.is_active?.mode === 'readwrite' &&
    source.access?.update !== undefined;
  return [
    ...(changes.update
      ? [{ key: 'update', label: t(bulkWords.updateSelected), run: onUpdate }]
      : []),
    ...(isSwitched
      ? [
          {
            key: 'disable',
            label: t(bulkWords.disableSelected),
            run: () =>
              begin(
                { action: 'update', changes: { is_active: false } },
                {
                  message: t(bulkWords.disableQuestion, { count }),
                  confirm: t(bulkWords.disableSelected),
                  danger: true,
                  ...consequencesOf('disable'),
                },
              ),
          },
          {
            key: 'activate',
            label: t(bulkWords.activateSelected),
            run: () =>
              begin(
                { action: 'update', changes: { is_active: true } },
                {
                  message: t(words.updateAll, { count }),
                  confirm: t(bulkWords.activateSelected),
                  ...consequencesOf('enable'),
                },
              ),
          },
        ]
      : []),
    ...(changes.more?.(set, begin) ?? []),
    ...(changes.remove
      ? [
          {
            key: 'delete',
            label: t(listWords.deleteSelected),
            danger: true,
            run: () =>
              begin(
                { action: 'delete' },
                {
                  message: t(words.deleteAll, { count }),
                  confirm: t(listWords.deleteMany, { objects: countOf(source, count) }),
                  danger: true,
                  ...consequencesOf('delete'),
                },
              ),
          },
        ]
      : []),
  ];
}

/**
 * The selection bar of a set, which has more rows than the list holds: its actions run as jobs on
 * the server.
 */
export function SetBar({ source, set, isOfList, changes, onClear }: SetBarProps) {
  const { spm, count } = set;
  const [job, setJob] = useState<{ readonly id: string; readonly isDeletion: boolean }>();
  const [updating, setUpdating] = useState(false);

  async function start(change: Pick<BulkChange, 'action' | 'changes' | 'target'>) {
    const begun = await api.post<{ readonly job: string }>(
      'common/resources/bulk/',
      { resource: source.name, spm, ...change },
      { quiet: true },
    );
    setJob({ id: begun.job, isDeletion: change.action === 'delete' });
  }
  const begin: BeginBulk = (change, question) =>
    askFirst({ ...question, run: () => start(change) });
  const actions = actionsOn({ source, set, changes, begin, onUpdate: () => setUpdating(true) });

  return (
    <section className={styles.selection} aria-label={t(listWords.selection)}>
      <span role="status">{t(isOfList ? words.allSelected : words.oldSet, { count })}</span>
      <Button size="compact-sm" variant="subtle" onClick={onClear}>
        {t(listWords.clearSelection)}
      </Button>
      <span className={styles.bulk}>
        {actions.map(({ key, label, danger, run }) => (
          <Button
            key={key}
            size="compact-sm"
            variant={danger ? 'light' : 'default'}
            {...(danger && { color: 'red' })}
            onClick={run}
          >
            {label}
          </Button>
        ))}
      </span>
      {updating && changes.update && (
        <BulkUpdateDialog
          source={source}
          spec={{
            ...changes.update,
            send: (values) =>
              confirmed({
                message: t(words.updateAll, { count }),
                confirm: t(listWords.updateMany, { objects: countOf(source, count) }),
                run: () => start({ action: 'update', changes: values }),
              }),
          }}
          rows={[]}
          count={count}
          onClose={() => setUpdating(false)}
        />
      )}
      {job && (
        <BulkProgress
          job={job.id}
          source={source}
          canUndo={job.isDeletion && source.restorable === true}
          onClose={() => {
            setJob(undefined);
            onClear();
          }}
        />
      )}
    </section>
  );
}

function BulkProgress({
  job,
  source,
  canUndo,
  onClose,
}: {
  readonly job: string;
  readonly source: Source;
  /** The job deletes objects that can be restored. */
  readonly canUndo: boolean;
  readonly onClose: () => void;
}) {
  const client = useQueryClient();
  const model = useJob(job, { beginsLater: true });
  const { isOver } = model;
  useEffect(() => {
    if (isOver) void client.invalidateQueries({ queryKey: cacheKey(source) });
  }, [isOver, client, source]);
  return (
    <Modal opened onClose={onClose} title={t(words.working)} size="lg">
      <Stack>
        <JobProgress model={model} hasLog {...(model.job && { title: model.job.subject })} />
        {!isOver && (
          <Text fz="sm" c="dimmed">
            {t(words.goesOn)}
          </Text>
        )}
        <Group justify="flex-end">
          {isOver && canUndo && (
            <Button
              variant="light"
              onClick={() => void restoreBatch(job).then(onClose, () => undefined)}
            >
              {t(consequenceWords.undo)}
            </Button>
          )}
          <Button variant="default" onClick={onClose}>
            {t(common.close)}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
