import { Badge, Button, Text } from '@mantine/core';
import { assetUser } from '@sallyport/contract';
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { addressOf, api } from '../../../kit/api.ts';
import { askFirst } from '../../../kit/dialogs/confirm.ts';
import { common, t } from '../../../kit/i18n/index.ts';
import { IconDownload, IconKey } from '../../../kit/icons.ts';
import { useGo } from '../../base/navigation.tsx';
import { pagesOf } from '../../base/resources.ts';
import { useSession } from '../../base/session.tsx';
import { ResourceList } from '../../resource/list/ResourceList.tsx';
import type { Column } from '../../resource/list/table/columns.tsx';
import type { RowAction } from '../../resource/list/table/RowActions.tsx';
import type { QueryValues } from '../../resource/list/useListPage.ts';
import { cacheKey, objectUrl } from '../../resource/source.ts';
import type { ListExtent } from '../../resource/transfer/export-address.ts';
import { Reachable } from '../assets/tasks/Reachable.tsx';
import { useBreakpoints } from '../useBreakpoints.ts';
import { ExportDialog } from './ExportDialog.tsx';
import type { AssetUser } from './SecretDialog.tsx';
import { SecretDialog } from './SecretDialog.tsx';
import { SetOnServerDialog } from './SetOnServerDialog.tsx';
import { UpdateDialog } from './UpdateDialog.tsx';
import { words } from './words.ts';

interface AssetUserTableProps {
  /** Fixed filter of the list, such as one asset. */
  readonly base?: QueryValues;
  /** Filter that the user chose next to the list, such as a node. */
  readonly chosen?: QueryValues;
  readonly pageNames?: readonly string[];
  /** True if the list is part of another page. */
  readonly embedded?: boolean;
  readonly emptyHint?: ReactNode;
  /** Initial values of a new account. */
  readonly createSearch?: Readonly<Record<string, string>>;
  /** Hides hostname and address, for lists of one asset. */
  readonly hidesAsset?: boolean;
}

const JOBS = pagesOf('job');

type Open =
  | { readonly kind: 'view' | 'update' | 'set'; readonly account: AssetUser }
  | { readonly kind: 'export'; readonly extent: ListExtent };

/** Names the source of an account's secret. */
function originOf({ backend, origin }: AssetUser): string {
  if (backend === 'admin_user') return t(words.originAdmin, { name: origin });
  if (backend !== 'db') return t(words.originSystem, { name: origin });
  return t(
    origin === 'push'
      ? words.originPush
      : origin === 'change_auth'
        ? words.originPlan
        : words.originStored,
  );
}

/** Shows if connections use this version of the account. */
function Use({ account }: { readonly account: AssetUser }) {
  if (account.is_best) {
    return (
      <Badge variant="light" color="green">
        {t(words.inUse)}
      </Badge>
    );
  }
  return (
    <Text span fz="sm" c="dimmed">
      {t(account.has_secret ? words.notInUse : words.noSecret)}
    </Text>
  );
}

const assetColumns = (narrow: boolean): Column<AssetUser>[] => [
  { name: 'hostname' },
  { name: 'ip', mono: true, hidden: narrow },
];
const accountColumns = ({
  narrow,
  phone,
}: {
  readonly narrow: boolean;
  readonly phone: boolean;
}): Column<AssetUser>[] => [
  { name: 'username' },
  { name: 'version', width: 90, hidden: phone, cell: ({ version }) => version },
  { name: 'origin', label: words.origin, hidden: phone, cell: (row) => originOf(row) },
  { name: 'is_best', width: 110, cell: (row) => <Use account={row} /> },
  {
    name: 'connectivity',
    width: 118,
    hidden: narrow,
    cell: ({ connectivity }) => <Reachable of={connectivity} />,
  },
  { name: 'date_created', hidden: narrow },
  { name: 'comment', hidden: true },
  { name: 'created_by', hidden: true },
];

/** Lists the accounts on assets with their actions. */
export function AssetUserTable({
  base,
  chosen,
  pageNames,
  embedded = false,
  emptyHint,
  createSearch,
  hidesAsset = false,
}: AssetUserTableProps) {
  const client = useQueryClient();
  const { narrow, phone } = useBreakpoints();
  const licensed = useSession().settings.XPACK_LICENSE_IS_VALID;
  const [open, setOpen] = useState<Open>();
  const go = useGo();
  /** Starts a test and opens the page of its job. */
  const test = async (query: Readonly<Record<string, string | readonly string[]>>) => {
    const { task } = await api.post<{ readonly task: string }>(
      addressOf('assets/asset-users/tasks/', query),
      { action: 'test' },
    );
    await go(JOBS.detail(task));
  };
  const readAgain = () => client.invalidateQueries({ queryKey: cacheKey(assetUser) });

  const actionsOf = (account: AssetUser): RowAction[] => [
    {
      key: 'view',
      label: t(words.view),
      icon: IconKey,
      ...(!account.has_secret && { refusal: t(words.noSecret) }),
      run: () => setOpen({ kind: 'view', account }),
    },
    {
      key: 'update-secret',
      label: t(words.update),
      run: () => setOpen({ kind: 'update', account }),
    },
    {
      key: 'test',
      label: t(words.test),
      ...(!account.has_secret && { refusal: t(words.noSecret) }),
      run: () => void test({ id: account.id }),
    },
    {
      key: 'delete',
      label: t(common.delete),
      danger: true,
      ...(account.backend !== 'db' && {
        refusal: t(account.backend === 'admin_user' ? words.deleteAdmin : words.deleteSystem),
      }),
      run: () =>
        askFirst({
          message: t(words.deleteQuestion, {
            version: account.version,
            name: `${account.username}@${account.hostname}`,
          }),
          confirm: t(common.delete),
          run: async () => {
            await api.delete(objectUrl(assetUser, account.id), { quiet: true });
            await readAgain();
          },
          success: t(words.deleted),
        }),
    },
    {
      key: 'restore',
      label: t(words.restore),
      ...(account.backend !== 'db'
        ? { refusal: t(words.notStored) }
        : account.is_best && { refusal: t(words.isLatest) }),
      run: () =>
        askFirst({
          message: t(words.restoreQuestion, { version: account.version }),
          confirm: t(words.restore),
          run: async () => {
            await api.post(`${objectUrl(assetUser, account.id)}restore/`, undefined, {
              quiet: true,
            });
            await readAgain();
          },
          success: t(words.restored),
        }),
    },
    // Needs a license.
    ...(licensed
      ? [
          {
            key: 'set-on-server',
            label: t(words.setOnServer),
            ...(account.backend !== 'db' && { refusal: t(words.notStored) }),
            run: () => setOpen({ kind: 'set' as const, account }),
          },
        ]
      : []),
  ];

  return (
    <>
      <ResourceList<AssetUser>
        source={assetUser}
        embedded={embedded}
        {...(base && { base })}
        {...(chosen && { chosen })}
        {...(pageNames && { pageNames })}
        {...(createSearch && { createSearch })}
        {...(emptyHint !== undefined && { emptyHint })}
        columns={[
          ...(hidesAsset ? [] : assetColumns(narrow)),
          ...accountColumns({ narrow, phone }),
        ]}
        link={() => undefined}
        editable={createSearch !== undefined}
        hasExport={false}
        hasImport={!embedded}
        extraActions={actionsOf}
        bulkActions={(rows) => [
          {
            key: 'test',
            label: t(words.testSelected),
            run: () => void test({ ids: rows.map(({ id }) => id) }),
          },
          {
            key: 'export',
            label: t(words.exportSecrets),
            icon: IconDownload,
            run: () =>
              setOpen({
                kind: 'export',
                extent: {
                  source: assetUser,
                  base: {},
                  query: {},
                  selected: rows.map(({ id }) => id),
                },
              }),
          },
        ]}
        searchMore={[
          {
            name: 'latest',
            label: t(words.latestOnly),
            choices: [
              { value: '1', label: t(words.yes) },
              { value: '0', label: t(words.no) },
            ],
          },
        ]}
        choicesOf={{
          backend: [
            { value: 'db', label: t(words.stored) },
            { value: 'admin_user', label: t(words.adminUser) },
            { value: 'system_user', label: t(words.systemUser) },
            { value: 'system_user_dynamic', label: t(words.systemUserDynamic) },
          ],
        }}
        toolbar={(extent) => (
          <Button
            variant="default"
            leftSection={<IconDownload size={16} />}
            onClick={() => setOpen({ kind: 'export', extent: extent() })}
          >
            {t(words.exportSecrets)}
          </Button>
        )}
      />

      {open?.kind === 'view' && (
        <SecretDialog account={open.account} onClose={() => setOpen(undefined)} />
      )}
      {open?.kind === 'update' && (
        <UpdateDialog account={open.account} onClose={() => setOpen(undefined)} />
      )}
      {open?.kind === 'set' && (
        <SetOnServerDialog account={open.account} onClose={() => setOpen(undefined)} />
      )}
      {open?.kind === 'export' && (
        <ExportDialog extent={open.extent} onClose={() => setOpen(undefined)} />
      )}
    </>
  );
}
