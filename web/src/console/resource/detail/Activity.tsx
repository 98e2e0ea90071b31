import { operateLog, type Row } from '@sallyport/contract';
import { ResourceList } from '../list/ResourceList.tsx';
import type { Source } from '../source.ts';
import { Changes } from './Changes.tsx';

// A separate name: its column preferences differ from those of the operate log page.
const ACTIVITY: Source = { ...operateLog, name: 'activity' };

/** Lists the changes of an object with author, time and previous values. */
export function Activity({ source, id }: { readonly source: Source; readonly id: string }) {
  return (
    <ResourceList<Row<typeof operateLog>>
      source={ACTIVITY}
      embedded
      columns={[
        { name: 'user' },
        { name: 'action', width: 120 },
        { name: 'resource', hidden: true },
        { name: 'remote_addr', mono: true, width: 160 },
        { name: 'datetime', essential: true },
      ]}
      base={{ resource_id: id, resource_type: source.name }}
      hasSearch={false}
      expand={(entry) => <Changes entry={entry} />}
    />
  );
}
