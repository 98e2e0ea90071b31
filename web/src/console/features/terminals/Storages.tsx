import { type Row, replayStorage } from '@sallyport/contract';
import { t } from '../../../kit/i18n/index.ts';
import { DetailCard } from '../../resource/detail/Cards.tsx';
import { DetailColumns, DetailPage } from '../../resource/detail/DetailPage.tsx';
import type { FormValues } from '../../resource/form/form-state.ts';
import { ResourceList } from '../../resource/list/ResourceList.tsx';
import { PageHeader } from '../../resource/PageHeader.tsx';
import { FormPage } from '../../resource/ResourcePages.tsx';
import { useBreakpoints } from '../useBreakpoints.ts';
import { isOutside, storageFlags, tryOut } from './storage-actions.ts';
import { words } from './words.ts';

type Storage = Row<typeof replayStorage>;

/** Where recordings are kept. */
export function StorageList() {
  const { phone } = useBreakpoints();
  return (
    <>
      <PageHeader hint={t(words.storagesHint)} />
      <ResourceList<Storage>
        source={replayStorage}
        columns={[{ name: 'name' }, { name: 'type', width: 150 }, { name: 'bucket', hidden: phone }, { name: 'comment', hidden: phone }]}
        extraActions={(row) => [{ key: 'test', label: t(words.test), run: () => void tryOut(replayStorage, row.id) }]}
        hasBulkDelete={false}
        hasImport={false}
        hasExport={false}
        {...storageFlags}
      />
    </>
  );
}

const BUCKET = ['bucket', 'access_key', 'secret_key', 'endpoint', 'region', 'path_style'] as const;
const BUCKET_FACTS = ['bucket', 'endpoint', 'region', 'path_style'] as const;
const OVERRIDES = Object.fromEntries(BUCKET.map((name) => [name, { hidden: ({ type }: FormValues) => !isOutside(type) }]));

/** Creates or changes a bucket. */
export function StorageForm() {
  return (
    <FormPage
      source={replayStorage}
      overrides={OVERRIDES}
      groups={[
        { title: words.basic, fields: ['name', 'type'] },
        { title: words.place, fields: BUCKET },
        { title: words.other, fields: ['comment'] },
      ]}
    />
  );
}

/** One storage. */
export function StorageDetail() {
  return (
    <DetailPage<Storage>
      source={replayStorage}
      {...storageFlags}
      tabs={(object) => [
        {
          name: 'Detail',
          label: t(words.storageDetail),
          render: () => (
            <DetailColumns
              left={
                <DetailCard
                  source={replayStorage}
                  object={object}
                  facts={['name', 'type', ...(isOutside(object.type) ? BUCKET_FACTS : []), 'date_created', 'comment']}
                />
              }
            />
          ),
        },
      ]}
    />
  );
}
