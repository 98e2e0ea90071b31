import { Alert } from '@mantine/core';
import { allows, cloudAccount, Permission, type Row } from '@sallyport/contract';
import { useQueryClient } from '@tanstack/react-query';
import { api } from '../../../kit/api.ts';
import { toast } from '../../../kit/dialogs/toast.tsx';
import { t } from '../../../kit/i18n/index.ts';
import { useObjectId } from '../../base/navigation.tsx';
import { useSession } from '../../base/session.tsx';
import { DetailCard, QuickActionsCard } from '../../resource/detail/Cards.tsx';
import { DetailColumns, DetailPage } from '../../resource/detail/DetailPage.tsx';
import { words as detailWords } from '../../resource/detail/words.ts';
import type { FormValues } from '../../resource/form/form-state.ts';
import { ResourceList } from '../../resource/list/ResourceList.tsx';
import { YesNo } from '../../resource/list/table/columns.tsx';
import { PageHeader } from '../../resource/PageHeader.tsx';
import { FormPage } from '../../resource/ResourcePages.tsx';
import { cacheKey, objectUrl } from '../../resource/source.ts';
import { Clipped } from '../Clipped.tsx';
import { useBreakpoints } from '../useBreakpoints.ts';
import { providerWords, words } from './words.ts';

export const CENTER = '/xpack/cloud';

/** Search parameters that open the tab of cloud accounts. */
export const ACCOUNTS_TAB = { activeTab: 'AccountList' } as const;

type Account = Row<typeof cloudAccount>;

/** Poll interval in milliseconds; the test after saving an account ends soon. */
const SOON = 5_000;

/** Tests an account with its provider and shows the result. */
function useTest(): (id: string) => Promise<void> {
  const client = useQueryClient();
  return async (id) => {
    const { is_valid: isValid, msg } = await api.post<{ is_valid: boolean; msg: string }>(
      `${objectUrl(cloudAccount, id)}test/`,
    );
    if (isValid) toast.success(msg);
    else toast.error(msg);
    await client.invalidateQueries({ queryKey: cacheKey(cloudAccount) });
  };
}

/** Shows if the provider accepts the key. The server tests a new account shortly after saving. */
function Validity({
  account: { validity, validity_display: text, date_tested: tested },
}: {
  readonly account: Account;
}) {
  return tested === null ? (
    <span>{t(words.untested)}</span>
  ) : (
    <YesNo value={validity} yes={text} no={text} />
  );
}

/** The list of cloud accounts, in a tab of the center or on a separate page. */
export function Accounts() {
  const { phone } = useBreakpoints();
  const test = useTest();
  return (
    <ResourceList<Account>
      source={cloudAccount}
      refetchEvery={SOON}
      columns={[
        { name: 'name' },
        { name: 'provider', width: 170, hidden: phone },
        { name: 'validity', width: 130, cell: (account) => <Validity account={account} /> },
        {
          name: 'problem',
          hidden: phone,
          quiet: ({ problem }) => !problem,
          cell: ({ problem }) => problem && <Clipped title={problem} />,
        },
        { name: 'date_created', hidden: phone },
        {
          name: 'comment',
          hidden: phone,
          cell: ({ comment }) => comment && <Clipped title={comment} />,
        },
      ]}
      hasDelete
      hasBulkDelete={false}
      hasImport={false}
      hasExport={false}
      extraActions={({ id }) => [
        { key: 'test', label: t(words.test), run: () => void test(id).catch(() => undefined) },
      ]}
    />
  );
}

export function AccountList() {
  return (
    <>
      <PageHeader hint={t(words.hint)} />
      <Accounts />
    </>
  );
}

/** Explains the keys of a provider and the rights that they need. */
function ProviderHint({ provider }: { readonly provider: unknown }) {
  const text = Object.entries(providerWords).find(([name]) => name === provider)?.[1];
  return (
    text && (
      <Alert color="blue" mb="md" role="status" title={t(words.needs)}>
        {t(text)}
      </Alert>
    )
  );
}

export function AccountForm() {
  const { role } = useSession();
  const id = useObjectId();
  const isHidden = () => !allows(role.permissions, Permission.SUPER | Permission.ADMIN);
  return (
    <FormPage
      source={cloudAccount}
      groups={[
        {
          title: words.provider,
          fields: ['name', 'provider', 'access_key_id', 'access_key_secret', 'comment'],
        },
        ...(isHidden()
          ? []
          : [{ title: words.place, fields: ['endpoint', 'ca_certificate'] as const }]),
      ]}
      // A blank secret keeps the stored one.
      overrides={{ access_key_secret: { required: id === '' } }}
      lead={({ provider }: FormValues) => <ProviderHint provider={provider} />}
      leadsTo={() => ({ path: CENTER, search: ACCOUNTS_TAB })}
    />
  );
}

export function AccountDetail() {
  const test = useTest();
  return (
    <DetailPage<Account>
      source={cloudAccount}
      hasDelete
      refetchEvery={SOON}
      tabs={(object) => [
        {
          name: 'Detail',
          label: t(detailWords.overview),
          render: () => (
            <DetailColumns
              left={
                <DetailCard
                  source={cloudAccount}
                  object={object}
                  facts={[
                    'name',
                    'provider',
                    'access_key_id',
                    ...(object.endpoint ? (['endpoint'] as const) : []),
                    {
                      name: 'validity',
                      label: cloudAccount.fields.validity.label,
                      value: (account) => <Validity account={account} />,
                    },
                    ...(object.problem ? (['problem'] as const) : []),
                    'date_tested',
                    'comment',
                    'date_created',
                    'created_by',
                  ]}
                />
              }
              right={
                <QuickActionsCard
                  actions={[
                    {
                      key: 'test',
                      title: t(words.testNow),
                      button: t(words.test),
                      run: () => test(object.id),
                    },
                  ]}
                />
              }
            />
          ),
        },
      ]}
    />
  );
}
