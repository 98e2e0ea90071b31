import { Alert, Text } from '@mantine/core';
import { type Row, replayStorage } from '@sallyport/contract';
import { api } from '../../../kit/api.ts';
import { askFirst } from '../../../kit/dialogs/confirm.ts';
import { t } from '../../../kit/i18n/index.ts';
import { useSearchRecord } from '../../base/navigation.tsx';
import { DetailPage, factsTab } from '../../resource/detail/DetailPage.tsx';
import type { FormValues } from '../../resource/form/form-state.ts';
import { moreOptions } from '../../resource/form/more-options.ts';
import { ResourceList } from '../../resource/list/ResourceList.tsx';
import { PageHeader } from '../../resource/PageHeader.tsx';
import { FormPage } from '../../resource/ResourcePages.tsx';
import { objectUrl } from '../../resource/source.ts';
import { useBreakpoints } from '../useBreakpoints.ts';
import { isOutside, storageFlags, tryOut } from './CommandStorages.tsx';
import { RecordingPlace } from './RecordingPlace.tsx';
import { useAsksRecordingPlace } from './useAsksRecordingPlace.ts';
import { words } from './words.ts';

type Storage = Row<typeof replayStorage>;

/** Chooses the place of the recordings of all servers after a question. */
function chooseForAll({ id, name }: Storage, refresh: () => Promise<void>): void {
  askFirst({
    message: t(words.useForAllQuestion, { name }),
    confirm: t(words.useForAll),
    run: async () => {
      await api.patch(objectUrl(replayStorage, id), { is_for_all: true });
      await refresh();
    },
    success: t(words.usedForAll),
  });
}

/** Storages of recordings. */
export function StorageList() {
  const { phone } = useBreakpoints();
  return (
    <>
      <PageHeader hint={t(words.storagesHint)} />
      {useAsksRecordingPlace() && (
        <Alert title={t(words.recordingPlace)} mb="md">
          <Text mb="sm">{t(words.recordingPlaceHint)}</Text>
          <RecordingPlace />
        </Alert>
      )}
      <ResourceList<Storage>
        source={replayStorage}
        columns={[
          { name: 'name' },
          { name: 'type', width: 150 },
          { name: 'bucket', hidden: phone, cell: (row) => row.bucket || row.container_name },
          { name: 'is_for_all', width: 130, hidden: phone },
          { name: 'comment', hidden: phone },
        ]}
        extraActions={(row, refresh) => [
          {
            key: 'test',
            label: t(words.test),
            run: () => void tryOut(replayStorage, row.id).catch(() => undefined),
          },
          ...(row.is_for_all || row.type === 'null'
            ? []
            : [{ key: 'all', label: t(words.useForAll), run: () => chooseForAll(row, refresh) }]),
        ]}
        hasBulkDelete={false}
        hasImport={false}
        hasExport={false}
        {...storageFlags}
      />
    </>
  );
}

const BUCKET = ['bucket', 'access_key', 'secret_key', 'endpoint', 'region', 'path_style'] as const;
const CONTAINER = ['container_name', 'account_name', 'account_key', 'endpoint_suffix'] as const;
const PLACE = [...CONTAINER, ...BUCKET] as const;
/** Facts of a storage, without secrets. */
const FACTS = [
  'container_name',
  'account_name',
  'endpoint_suffix',
  'bucket',
  'endpoint',
  'region',
  'path_style',
] as const;

/** Fields with the location of a storage, by type. Swift always has the container in the path. */
function placeOf(type: unknown): readonly (typeof PLACE)[number][] {
  if (!isOutside(type)) return [];
  if (type === 'azure') return [...CONTAINER, 'endpoint'];
  return type === 'swift' ? BUCKET.filter((name) => name !== 'path_style') : BUCKET;
}

const OVERRIDES = Object.fromEntries(
  PLACE.map((name) => [name, { hidden: ({ type }: FormValues) => !placeOf(type).includes(name) }]),
);

/** Creates or changes a bucket or a container. */
export function StorageForm() {
  const { type, is_for_all: isForAll } = useSearchRecord();
  const offered = replayStorage.fields.type.choices.some(
    ({ value }) => value === type && isOutside(value),
  );
  return (
    <FormPage
      source={replayStorage}
      overrides={OVERRIDES}
      {...(offered && { initial: { type, ...(isForAll === 'true' && { is_for_all: true }) } })}
      groups={[
        { title: words.storage, fields: ['name', 'type'] },
        { title: words.place, fields: PLACE },
        { title: words.servers, fields: ['is_for_all', 'second'] },
        moreOptions(['comment']),
      ]}
    />
  );
}

export function StorageDetail() {
  return (
    <DetailPage<Storage>
      source={replayStorage}
      {...storageFlags}
      tabs={(object) => [
        factsTab(replayStorage, object, [
          'name',
          'type',
          ...FACTS.filter((name) => placeOf(object.type).includes(name)),
          'is_for_all',
          'second',
          'date_created',
          'comment',
        ]),
      ]}
    />
  );
}
