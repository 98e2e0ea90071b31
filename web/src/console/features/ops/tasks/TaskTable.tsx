import { Button, SegmentedControl, Text } from '@mantine/core';
import { opsTask, type Row } from '@sallyport/contract';
import { useState } from 'react';
import { t } from '../../../../kit/i18n/index.ts';
import { ResourceList } from '../../../resource/list/ResourceList.tsx';
import { objectUrl } from '../../../resource/source.ts';
import { useBreakpoints } from '../../useBreakpoints.ts';
import { counted, LIVE, StateOfRun, useStart } from './parts.tsx';
import { words } from './words.ts';

export type Task = Row<typeof opsTask>;

/** The query for tasks with a schedule. */
export const SCHEDULED = { is_periodic: 'true' };

export const runPath = ({ id }: Pick<Task, 'id'>) => `${objectUrl(opsTask, id)}run/`;

/** Lists the work on assets that runs on a schedule, and on request the work without one. */
export function TaskTable() {
  const { phone, narrow } = useBreakpoints();
  const start = useStart();
  const [isScheduled, setScheduled] = useState(true);
  return (
    <>
      <Text fz="sm" c="dimmed" mb="sm">
        {t(words.hint)}
      </Text>
      <ResourceList<Task>
        source={opsTask}
        chosen={isScheduled ? SCHEDULED : {}}
        {...(isScheduled && { emptyTitle: t(words.noSchedule) })}
        emptyHint={
          isScheduled ? (
            <Button mt="sm" variant="default" onClick={() => setScheduled(false)}>
              {t(words.showAll)}
            </Button>
          ) : (
            t(words.empty)
          )
        }
        refetchEvery={LIVE}
        toolbar={
          <SegmentedControl
            size="xs"
            aria-label={t(words.which)}
            value={isScheduled ? 'scheduled' : 'all'}
            onChange={(value) => setScheduled(value === 'scheduled')}
            data={[
              { value: 'scheduled', label: t(words.withSchedule) },
              { value: 'all', label: t(words.allTasks) },
            ]}
          />
        }
        columns={[
          { name: 'name', essential: true, cell: ({ title }) => title },
          {
            name: 'is_success',
            label: words.lastResult,
            essential: phone,
            width: phone ? 124 : 210,
            cell: ({ latest_execution: last }) => last && <StateOfRun run={last} />,
          },
          {
            name: 'hosts',
            label: words.hosts,
            width: 80,
            hidden: phone,
            cell: ({ latest_execution: last }) => last?.hosts_amount,
          },
          {
            name: 'periodic_display',
            hidden: phone,
            quiet: ({ periodic_display: period }) => !period,
            cell: ({ periodic_display: period }) => period,
          },
          { name: 'date_last_run', label: words.lastRun, hidden: phone },
          {
            name: 'summary',
            label: words.runTimes,
            width: 150,
            hidden: narrow,
            cell: ({ summary }) => counted(summary),
          },
        ]}
        hasDelete
        hasImport={false}
        extraActions={(row) => [
          {
            key: 'run',
            label: t(words.run),
            run: () => void start('get', runPath(row)).catch(() => undefined),
          },
        ]}
      />
    </>
  );
}
