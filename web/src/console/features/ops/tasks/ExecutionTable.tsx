import { adhocExecution, type Row } from '@sallyport/contract';
import { PageLink } from '../../../base/navigation.tsx';
import { pagesOf } from '../../../base/resources.ts';
import { ResourceList } from '../../../resource/list/ResourceList.tsx';
import { YesNo } from '../../../resource/list/table/columns.tsx';
import { Moment } from '../../../resource/list/table/Moment.tsx';
import { useBreakpoints } from '../../useBreakpoints.ts';
import { counted, inSeconds, LIVE, outcomeOfRun } from './parts.tsx';
import { words } from './words.ts';

const PAGES = pagesOf(adhocExecution.name);
type Execution = Row<typeof adhocExecution>;

const ratio = ({ stat: { success, total } }: Execution) =>
  total === 0 ? '-' : `${Math.floor((success / total) * 100)} %`;

export function ExecutionTable({ base }: { readonly base: Readonly<Record<string, string>> }) {
  const { phone, narrow } = useBreakpoints();
  return (
    <ResourceList<Execution>
      source={adhocExecution}
      embedded
      base={base}
      refetchEvery={LIVE}
      columns={[
        {
          name: 'date_start',
          essential: true,
          cell: ({ id, date_start: date }) => (
            <PageLink to={PAGES.detail(id)}>
              <Moment date={date} />
            </PageLink>
          ),
        },
        { name: 'stat', width: 130, cell: ({ stat }) => counted(stat) },
        { name: 'ratio', label: words.ratio, width: 80, hidden: phone, cell: ratio },
        {
          name: 'is_finished',
          width: 90,
          hidden: phone,
          cell: ({ is_finished: isFinished }) => <YesNo value={isFinished} />,
        },
        { name: 'is_success', width: 150, cell: (run) => outcomeOfRun(run) },
        {
          name: 'timedelta',
          width: 110,
          hidden: narrow,
          cell: ({ timedelta }) => inSeconds(timedelta),
        },
        { name: 'adhoc_short_id', width: 140, mono: true, hidden: narrow },
      ]}
    />
  );
}
