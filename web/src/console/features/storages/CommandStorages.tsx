import { commandStorage, type Row } from '@sallyport/contract';
import { api } from '../../../kit/api.ts';
import { toast } from '../../../kit/dialogs/toast.tsx';
import { t } from '../../../kit/i18n/index.ts';
import { DetailPage, factsTab } from '../../resource/detail/DetailPage.tsx';
import { moreOptions } from '../../resource/form/more-options.ts';
import { ResourceList } from '../../resource/list/ResourceList.tsx';
import { PageHeader } from '../../resource/PageHeader.tsx';
import { FormPage } from '../../resource/ResourcePages.tsx';
import { objectUrl } from '../../resource/source.ts';
import { useBreakpoints } from '../useBreakpoints.ts';
import { words } from './words.ts';

/** Returns true if a storage type is external. Only external storages can be tested and changed. */
export const isOutside = (type: unknown) => type !== 'server' && type !== 'null';

const mayChange = ({ type }: { readonly type: string }) => isOutside(type) || t(words.builtIn);

/** Permitted actions on a storage. */
export const storageFlags = { hasDelete: true, canUpdate: mayChange, canDelete: mayChange };

/** Asks the server to write, read and delete a test object in a storage, and shows the result. */
export async function tryOut(source: Parameters<typeof objectUrl>[0], id: string): Promise<void> {
  const { is_valid: isValid, msg } = await api.get<{ is_valid: boolean; msg: string }>(
    `${objectUrl(source, id)}test-connective/`,
  );
  if (isValid) toast.success(msg);
  else toast.error(msg);
}

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
          {
            key: 'test',
            label: t(words.test),
            run: () => void tryOut(commandStorage, row.id).catch(() => undefined),
          },
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
      tabs={(object) => [factsTab(commandStorage, object, FACTS)]}
    />
  );
}
