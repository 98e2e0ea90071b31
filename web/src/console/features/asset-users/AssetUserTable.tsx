import { Badge, Button, Modal, Text } from '@mantine/core';
import { assetUser, SECRET_STATES } from '@sallyport/contract';
import { type ReactNode, useState } from 'react';
import { toast } from '../../../kit/dialogs/toast.tsx';
import { common, t } from '../../../kit/i18n/index.ts';
import { IconDownload } from '../../../kit/icons.ts';
import { ResourceForm } from '../../resource/form/ResourceForm.tsx';
import { useResourceForm } from '../../resource/form/useResourceForm.ts';
import { Reachable } from '../../resource/job/Reachable.tsx';
import { ResourceList } from '../../resource/list/ResourceList.tsx';
import type { Column } from '../../resource/list/table/columns.tsx';
import { Moment } from '../../resource/list/table/Moment.tsx';
import type { RowGroups } from '../../resource/list/table/resource-table-props.ts';
import type { QueryValues } from '../../resource/list/useListPage.ts';
import { ObjectLink } from '../../resource/object/ObjectLink.tsx';
import { useBreakpoints } from '../useBreakpoints.ts';
import { ExportDialog } from './ExportDialog.tsx';
import { LastRotation, SecretAge } from './SecretAge.tsx';
import { type AssetUser, SecretDialog } from './SecretDialog.tsx';
import { SetOnServerDialog } from './SetOnServerDialog.tsx';
import { SECRET_WORDS } from './secret-words.ts';
import { type AccountDialog, useAccountActions, useTest } from './useAccountActions.ts';
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

/** The head over the accounts of a host. */
const HOSTS: RowGroups<AssetUser> = {
  key: ({ asset }) => asset,
  head: ({ asset: id, hostname, ip }) => (
    <>
      <ObjectLink resource="asset" id={id}>
        {hostname}
      </ObjectLink>{' '}
      <Text span fz="sm" fw={400} c="dimmed" className="mono">
        {ip}
      </Text>
    </>
  ),
};

/** For lists of all hosts, whose heads name them; users may choose them to sort. */
const ASSET_COLUMNS: readonly Column<AssetUser>[] = [
  { name: 'hostname', hidden: true },
  { name: 'ip', mono: true, hidden: true },
];
const accountColumns = ({
  narrow,
  phone,
}: {
  readonly narrow: boolean;
  readonly phone: boolean;
}): Column<AssetUser>[] => [
  { name: 'username', essential: true },
  { name: 'version', width: 90, hidden: phone, cell: ({ version }) => version || null },
  { name: 'origin', label: words.origin, hidden: phone, cell: (row) => originOf(row) },
  { name: 'is_best', width: 110, cell: (row) => <Use account={row} /> },
  { name: 'date_secret_changed', width: 150, cell: (row) => <SecretAge account={row} /> },
  {
    name: 'date_last_used',
    width: 130,
    hidden: phone,
    cell: ({ date_last_used: date }) => date && <Moment date={date} />,
  },
  {
    name: 'rotation',
    width: 130,
    hidden: phone,
    quiet: ({ rotation }) => rotation === null,
    cell: ({ rotation }) => <LastRotation of={rotation} />,
  },
  {
    name: 'connectivity',
    width: 190,
    hidden: narrow,
    cell: ({ connectivity }) => <Reachable of={connectivity} />,
  },
  { name: 'date_created', hidden: true },
  { name: 'comment', hidden: true },
  { name: 'created_by', hidden: true },
];

const searches = () => [
  {
    name: 'secret',
    label: t(words.secret),
    choices: SECRET_STATES.map((state) => ({ value: state, label: t(SECRET_WORDS[state]) })),
  },
  {
    name: 'latest',
    label: t(words.latestOnly),
    choices: [
      { value: '1', label: t(words.yes) },
      { value: '0', label: t(words.no) },
    ],
  },
];

const backends = () => [
  { value: 'db', label: t(words.stored) },
  { value: 'admin_user', label: t(words.adminUser) },
  { value: 'system_user', label: t(words.systemUser) },
  { value: 'system_user_dynamic', label: t(words.systemUserDynamic) },
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
  const { narrow, phone } = useBreakpoints();
  const [open, setOpen] = useState<AccountDialog>();
  const test = useTest();
  const actionsOf = useAccountActions(setOpen);
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
        columns={[...(hidesAsset ? [] : ASSET_COLUMNS), ...accountColumns({ narrow, phone })]}
        link={() => undefined}
        {...(!hidesAsset && { groups: HOSTS })}
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
        searchMore={searches()}
        choicesOf={{ backend: backends() }}
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
      {open && <OpenDialog open={open} onClose={() => setOpen(undefined)} />}
    </>
  );
}

function OpenDialog({
  open,
  onClose,
}: {
  readonly open: AccountDialog;
  readonly onClose: () => void;
}) {
  switch (open.kind) {
    case 'view':
      return <SecretDialog account={open.account} onClose={onClose} />;
    case 'update':
      return <UpdateDialog account={open.account} onClose={onClose} />;
    case 'set':
      return <SetOnServerDialog account={open.account} onClose={onClose} />;
    case 'export':
      return <ExportDialog extent={open.extent} onClose={onClose} />;
  }
}

const GROUPS = [{ title: words.secret, fields: ['password', 'private_key', 'comment'] }];

/** Stores a new version of an account's secret on its asset. */
function UpdateDialog({
  account,
  onClose,
}: {
  readonly account: AssetUser;
  readonly onClose: () => void;
}) {
  const form = useResourceForm(assetUser, '', {
    groups: GROUPS,
    toBody: (body) => ({ ...body, asset: account.asset, username: account.username }),
    onSaved: (saved) => {
      toast.success(t(words.updated, { version: (saved as AssetUser).version }));
      onClose();
    },
  });
  return (
    <Modal
      opened
      onClose={onClose}
      size="lg"
      title={t(words.updateTitle)}
      closeOnClickOutside={false}
      closeButtonProps={{ 'aria-label': t(common.close) }}
    >
      <Text fw={600} mb={4}>
        {account.username}@{account.hostname} ({account.ip})
      </Text>
      <Text fz="sm" c="dimmed" mb="md">
        {t(words.updateHint)}
      </Text>
      <ResourceForm form={form} groups={GROUPS} onCancel={onClose} takesFocus />
    </Modal>
  );
}
