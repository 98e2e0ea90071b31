import { commandStorage, type Row } from '@sallyport/contract';
import { t } from '../../../kit/i18n/index.ts';
import { DetailCard } from '../../resource/detail/Cards.tsx';
import { DetailColumns, DetailPage } from '../../resource/detail/DetailPage.tsx';
import { moreOptions } from '../../resource/form/more-options.ts';
import { ResourceList } from '../../resource/list/ResourceList.tsx';
import { PageHeader } from '../../resource/PageHeader.tsx';
import { FormPage } from '../../resource/ResourcePages.tsx';
import { useBreakpoints } from '../useBreakpoints.ts';
import { storageFlags, tryOut } from './storage-actions.ts';
import { words } from './words.ts';

type Storage = Row<typeof commandStorage>;

export function CommandStorageList() {
  const { phone } = useBreakpoints();
  return (
    <>
      <PageHeader hint={t(words.commandStoragesHint)} />
      <ResourceList<Storage>
        source={commandStorage}
        columns={[
          { name: 'name' },
          { name: 'type', width: 150 },
          { name: 'index', hidden: phone },
          { name: 'waiting', width: 160, order: false, hidden: phone },
          { name: 'problem', hidden: true },
          { name: 'comment', hidden: phone },
        ]}
        extraActions={(row) => [
          { key: 'test', label: t(words.test), run: () => void tryOut(commandStorage, row.id) },
        ]}
        hasBulkDelete={false}
        hasImport={false}
        hasExport={false}
        {...storageFlags}
      />
    </>
  );
}

/** Creates or changes a command storage in Elasticsearch or OpenSearch. */
export function CommandStorageForm() {
  return (
    <FormPage
      source={commandStorage}
      groups={[
        { title: words.storage, fields: ['name', 'type'] },
        { title: words.place, fields: ['hosts', 'index', 'doc_type', 'ca_certificate'] },
        { title: words.account, fields: ['username', 'password'] },
        moreOptions(['comment']),
      ]}
    />
  );
}

const FACTS = [
  'name',
  'type',
  'hosts',
  'index',
  'doc_type',
  'username',
  'waiting',
  'problem',
  'date_created',
  'comment',
] as const;

export function CommandStorageDetail() {
  return (
    <DetailPage<Storage>
      source={commandStorage}
      {...storageFlags}
      tabs={(object) => [
        {
          name: 'Detail',
          label: t(words.commandStorageDetail),
          render: () => (
            <DetailColumns
              left={<DetailCard source={commandStorage} object={object} facts={[...FACTS]} />}
            />
          ),
        },
      ]}
    />
  );
}
