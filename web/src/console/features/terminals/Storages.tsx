import { type Row, replayStorage } from '@sallyport/contract';
import { api } from '../../../kit/api.ts';
import { t } from '../../../kit/i18n/index.ts';
import { toast } from '../../../kit/toast.tsx';
import { DetailCard } from '../../resource/detail/Cards.tsx';
import { DetailColumns, DetailPage } from '../../resource/detail/DetailPage.tsx';
import type { FormValues } from '../../resource/form/form-state.ts';
import { ResourceList } from '../../resource/list/ResourceList.tsx';
import { PageHeader } from '../../resource/PageHeader.tsx';
import { FormPage } from '../../resource/ResourcePages.tsx';
import { objectUrl } from '../../resource/source.ts';
import { useBreakpoints } from '../useBreakpoints.ts';
import { words } from './words.ts';

type Storage = Row<typeof replayStorage>;

// The disk of the servers and "do not save" are no buckets.
const hasBucket = (type: unknown) => type !== 'server' && type !== 'null';
const mayChange = ({ type }: Storage) => hasBucket(type) || t(words.builtIn);
const FLAGS = { hasDelete: true, canUpdate: mayChange, canDelete: mayChange };

/** Has the server put, read and delete an object there, and shows what it said. */
async function tryOut({ id }: Storage): Promise<void> {
  const { is_valid: isValid, msg } = await api.get<{ is_valid: boolean; msg: string }>(`${objectUrl(replayStorage, id)}test-connective/`);
  if (isValid) toast.success(msg);
  else toast.error(msg);
}

/** Where recordings are kept. */
export function StorageList() {
  const { phone } = useBreakpoints();
  return (
    <>
      <PageHeader hint={t(words.storagesHint)} />
      <ResourceList<Storage>
        source={replayStorage}
        columns={[{ name: 'name' }, { name: 'type', width: 150 }, { name: 'bucket', hidden: phone }, { name: 'comment', hidden: phone }]}
        extraActions={(row) => [{ key: 'test', label: t(words.test), run: () => void tryOut(row) }]}
        hasBulkDelete={false}
        hasImport={false}
        hasExport={false}
        {...FLAGS}
      />
    </>
  );
}

const BUCKET = ['bucket', 'access_key', 'secret_key', 'endpoint', 'region', 'path_style'] as const;
const BUCKET_FACTS = ['bucket', 'endpoint', 'region', 'path_style'] as const;
const OVERRIDES = Object.fromEntries(BUCKET.map((name) => [name, { hidden: ({ type }: FormValues) => !hasBucket(type) }]));

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
      {...FLAGS}
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
                  facts={['name', 'type', ...(hasBucket(object.type) ? BUCKET_FACTS : []), 'date_created', 'comment']}
                />
              }
            />
          ),
        },
      ]}
    />
  );
}
