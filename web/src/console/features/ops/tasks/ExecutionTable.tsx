import { adhocExecution, type Row } from '@sallyport/contract';
import { PageLink } from '../../../base/navigation.tsx';
import { pagesOf } from '../../../base/resources.ts';
import { StateBar } from '../../../resource/job/StateBar.tsx';
import { ResourceList } from '../../../resource/list/ResourceList.tsx';
import { Moment } from '../../../resource/list/table/Moment.tsx';
import { useBreakpoints } from '../../useBreakpoints.ts';
import { inSeconds, LIVE, StateOfRun } from './parts.tsx';
import { words } from './words.ts';

const PAGES = pagesOf(adhocExecution.name);
type Execution = Row<typeof adhocExecution>;

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
        {
          name: 'stat',
          label: words.hosts,
          width: 170,
          hidden: phone,
          cell: ({ stat: { success, failed, skipped, total } }) => (
            <StateBar
              done={success + failed + skipped}
              failed={failed}
              skipped={skipped}
              total={total}
            />
          ),
        },
        {
          name: 'is_success',
          label: words.state,
          width: 210,
          cell: (run) => <StateOfRun run={run} />,
        },
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
