import { Button } from '@mantine/core';
import {
  cloudInstance,
  cloudSyncExecution,
  cloudSyncTask,
  pathOf,
  type Row,
  type SyncSummary,
} from '@sallyport/contract';
import { useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { api } from '../../../kit/api.ts';
import { confirmed } from '../../../kit/dialogs/confirm.ts';
import { toast } from '../../../kit/dialogs/toast.tsx';
import { t } from '../../../kit/i18n/index.ts';
import { PageLink } from '../../base/navigation.tsx';
import { pagesOf } from '../../base/resources.ts';
import { WorkOutcome } from '../../resource/job/OutcomeState.tsx';
import { ResourceList } from '../../resource/list/ResourceList.tsx';
import { cacheKey, objectUrl } from '../../resource/source.ts';
import { Clipped } from '../Clipped.tsx';
import { useBreakpoints } from '../useBreakpoints.ts';
import { words } from './words.ts';

const JOBS = pagesOf('job');
const LIVE = 5_000;
type Execution = Row<typeof cloudSyncExecution>;
/** The states of a run by the value of its status. */
const SYNC_STATES = ['failed', 'succeeded', 'running'] as const;
type Instance = Row<typeof cloudInstance>;

const sum = (name: keyof SyncSummary, hidden: boolean) => ({
  name: `summary.${name}`,
  label: words[name],
  width: 90,
  hidden,
  cell: ({ summary }: Execution) => summary[name],
});

export function History({ task }: { readonly task: string }) {
  const { phone, narrow } = useBreakpoints();
  const source = useMemo(
    () => ({ ...cloudSyncExecution, path: pathOf(cloudSyncExecution, { task }) }),
    [task],
  );
  return (
    <ResourceList<Execution>
      source={source}
      embedded
      refetchEvery={LIVE}
      columns={[
        { name: 'date_sync', essential: true },
        sum('new', false),
        sum('unsync', phone),
        sum('sync', phone),
        sum('released', phone),
        {
          name: 'status',
          width: 110,
          cell: ({ status }) => <WorkOutcome outcome={SYNC_STATES[status]} />,
        },
        {
          name: 'reason',
          hidden: narrow,
          quiet: ({ reason }) => !reason,
          cell: ({ reason }) => reason && <Clipped title={reason} />,
        },
        {
          name: 'id',
          label: words.log,
          width: 80,
          cell: ({ id }) => <PageLink to={JOBS.detail(id)}>{t(words.log)}</PageLink>,
        },
      ]}
      emptyTitle={t(words.emptyHistory)}
    />
  );
}

/** Lists the instances of a task, with a button that removes deleted instances from the list. */
export function Instances({ task }: { readonly task: string }) {
  const { phone, narrow } = useBreakpoints();
  const client = useQueryClient();
  const source = useMemo(
    () => ({ ...cloudInstance, path: pathOf(cloudInstance, { task }) }),
    [task],
  );
  async function take(instance: string) {
    await api.post(`${objectUrl(cloudSyncTask, task)}instances/${instance}/take/`);
    toast.success(t(words.taken));
  }
  const clear = () =>
    confirmed({
      message: t(words.askDelete),
      confirm: t(words.deleteReleased),
      danger: true,
      run: async () => {
        const { deleted, disabled } = await api.delete<{ deleted: number; disabled: number }>(
          `${objectUrl(cloudSyncTask, task)}released-assets/`,
        );
        toast.success(t(words.deleted, { deleted, disabled }));
        await client.invalidateQueries({ queryKey: cacheKey(cloudSyncTask) });
      },
    }).catch(() => undefined);
  return (
    <ResourceList<Instance>
      source={source}
      embedded
      refetchEvery={LIVE}
      columns={[
        { name: 'instance_id', essential: true, mono: true },
        { name: 'name', hidden: phone },
        { name: 'ip', mono: true, width: 130, hidden: narrow },
        { name: 'asset', hidden: phone },
        { name: 'region', width: 140, hidden: narrow },
        { name: 'status', width: 130 },
        {
          name: 'reason',
          hidden: phone,
          quiet: ({ reason }) => !reason,
          cell: ({ reason }) => reason && <Clipped title={reason} min={160} />,
        },
        { name: 'date_sync', hidden: narrow },
      ]}
      extraActions={(row, refresh) =>
        row.is_left_out
          ? [
              {
                key: 'take',
                label: t(words.take),
                run: () => void take(row.id).then(refresh, () => undefined),
              },
            ]
          : []
      }
      emptyHint={t(words.emptyInstances)}
      toolbar={
        <Button variant="default" onClick={() => void clear()}>
          {t(words.deleteReleased)}
        </Button>
      }
    />
  );
}
