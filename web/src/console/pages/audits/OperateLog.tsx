import { operateLog, RESOURCES, type Row } from '@sallyport/contract';
import { lazy, Suspense } from 'react';
import { t } from '../../../kit/i18n/index.ts';
import { ResourceList } from '../../resource/list/ResourceList.tsx';
import { PageHeader } from '../../resource/PageHeader.tsx';
import { VerifyButton } from './VerifyButton.tsx';

const Changes = lazy(() => import('../../resource/detail/Changes.tsx').then((module) => ({ default: module.Changes })));

type Entry = Row<typeof operateLog>;

const DAYS = 7;

/** The name of a kind of object, in the language of the page. */
function typeName({ resource_type: type }: Entry): string {
  const resource = RESOURCES.find(({ name }) => name === type);
  return resource ? t(resource.title) : type;
}

/** Every change a person made, with what was there before. */
export function OperateLog() {
  return (
    <>
      <PageHeader>
        <VerifyButton />
      </PageHeader>
      <ResourceList<Entry>
        source={operateLog}
        columns={[
          { name: 'user' },
          { name: 'action', width: 100 },
          { name: 'resource_type', width: 140, cell: typeName },
          { name: 'resource' },
          { name: 'remote_addr', mono: true, width: 150 },
          { name: 'datetime', essential: true },
        ]}
        days={DAYS}
        expand={(entry) => (
          <Suspense>
            <Changes entry={entry} />
          </Suspense>
        )}
      />
    </>
  );
}
