import { Group } from '@mantine/core';
import { protocolOf, type Row, systemUser, TELNET_PATTERNS } from '@sallyport/contract';
import { t } from '../../../kit/i18n/index.ts';
import { CopyButton } from '../../../kit/identity/CopyButton.tsx';
import { lazyComponent } from '../../../kit/lazy-component.tsx';
import { PageLink } from '../../base/navigation.tsx';
import { pagesOf } from '../../base/resources.ts';
import {
  DetailCard,
  type Fact,
  type QuickAction,
  QuickActionsCard,
} from '../../resource/detail/Cards.tsx';
import { DetailColumns, DetailPage } from '../../resource/detail/DetailPage.tsx';
import { words as detailWords } from '../../resource/detail/words.ts';
import { taskWords } from '../../resource/job/words.ts';
import { ResourceList } from '../../resource/list/ResourceList.tsx';
import { PageHeader } from '../../resource/PageHeader.tsx';
import { FormPage, RelationCard } from '../../resource/ResourcePages.tsx';
import { referenceTo } from '../../resource/references.ts';
import { accessWords, WhoCanReach } from '../access/index.ts';
import { PreferredAccounts } from '../asset-users/index.ts';
import { Clipped } from '../Clipped.tsx';
import { PermissionRules } from '../perms/index.ts';
import { useSessionsTab } from '../sessions/index.ts';
import { useBreakpoints } from '../useBreakpoints.ts';
import { useAccountTask } from './push/useAccountTask.ts';
import { words as pushWords } from './push/words.ts';
import { SecretUse, takeBackActions } from './Secrets.tsx';
import { canPush, GROUPS, isDatabase, OVERRIDES, typesCommands } from './system-user-form.ts';
import { words } from './words.ts';

const Pushes = lazyComponent(() => import('./push/Pushes.tsx').then((module) => module.Pushes));

const PAGES = pagesOf(systemUser.name);

const FILTERS = referenceTo('command_filter');

type SystemUser = Row<typeof systemUser>;

export function SystemUserList() {
  const { narrow, phone } = useBreakpoints();
  return (
    <>
      <PageHeader hint={t(words.systemUserHint)} />
      <ResourceList<SystemUser>
        source={systemUser}
        columns={[
          { name: 'name' },
          { name: 'username', hidden: phone },
          { name: 'protocol', width: 96, hidden: phone },
          { name: 'login_mode', width: 120, hidden: phone },
          {
            name: 'assets_amount',
            width: 90,
            hidden: phone,
            cell: ({ id, assets_amount: amount }) => (
              <PageLink to={PAGES.detail(id)} search={{ activeTab: 'AssetList' }}>
                {amount}
              </PageLink>
            ),
          },
          {
            name: 'comment',
            hidden: narrow,
            cell: ({ comment }) => comment && <Clipped title={comment} />,
          },
          { name: 'priority', hidden: true },
          { name: 'date_created', hidden: true },
        ]}
        hasDelete
        emptyHint={t(words.emptySystemUsers)}
      />
    </>
  );
}

/** Returns true if a job can test the system user on assets. */
const isTested = ({ login_mode: mode, protocol }: SystemUser) =>
  mode !== 'manual' && protocolOf(protocol)?.onAssets === true;

/** Creates or changes a system user. Only automatic login has secrets. */
export function SystemUserForm() {
  return (
    <FormPage
      source={systemUser}
      groups={GROUPS}
      overrides={OVERRIDES}
      lead={(_values, account) => <SecretUse account={account} />}
    />
  );
}

const PUBLIC_KEY = {
  name: 'ssh_public_key',
  label: systemUser.fields.ssh_public_key.label,
  value: ({ ssh_public_key: line }: SystemUser) => (
    <Group gap="xs" wrap="nowrap">
      <span className="mono">{line}</span>
      <CopyButton text={String(line)} label={t(systemUser.fields.ssh_public_key.label)} />
    </Group>
  ),
};

/** The fields of a system user that its detail shows, in order. */
const factsOf = (object: SystemUser): readonly Fact<SystemUser>[] => [
  'name',
  'username',
  'protocol',
  'login_mode',
  ...(object.login_mode === 'certificate'
    ? ([
        ...(object.certificate_principals ? (['certificate_principals'] as const) : []),
        'certificate_minutes',
      ] as const)
    : []),
  ...([...TELNET_PATTERNS, 'serial_line'] as const).filter((name) => object[name] !== ''),
  ...(object.su_from ? (['su_from', 'su_method'] as const) : []),
  'priority',
  ...(object.no_password ? (['no_password'] as const) : []),
  ...(isDatabase(object.protocol) ? (['confirm_all_rows'] as const) : []),
  ...(isDatabase(object.protocol) && object.protocol !== 'redis'
    ? (['preview_changes', 'autocommit'] as const)
    : []),
  'enforced',
  ...(object.enforced ? (['allowed_commands'] as const) : []),
  ...(object.charset ? (['charset'] as const) : []),
  ...(object.protocol === 'ssh' ? (['sftp_root', 'sudo', 'shell', 'home'] as const) : []),
  'assets_amount',
  'permissions_amount',
  'date_secret_changed',
  'date_created',
  'created_by',
  'comment',
  ...(object.ssh_public_key ? [PUBLIC_KEY] : []),
];

interface OverviewProps {
  readonly object: SystemUser;
  readonly change: (values: {
    readonly auto_push?: boolean;
    readonly cmd_filters?: readonly string[];
  }) => Promise<unknown>;
  readonly refresh: () => Promise<unknown>;
}

/** Returns the switch of automatic pushes, and the buttons that push and check. */
function usePushActions({ object, change }: OverviewProps): readonly QuickAction[] {
  const { pushSystemUser, checkPush } = useAccountTask();
  return [
    {
      key: 'auto_push',
      title: t(systemUser.fields.auto_push.label),
      hint: t(pushWords.autoPushHint),
      checked: object.auto_push,
      toggle: (on) => change({ auto_push: on }),
    },
    {
      key: 'push',
      title: t(pushWords.push),
      button: t(taskWords.run),
      disabled: !object.auto_push,
      ...(!object.auto_push && { hint: t(pushWords.pushIsOff) }),
      run: () => pushSystemUser(object.id),
    },
    ...(object.protocol === 'ssh'
      ? [
          {
            key: 'push_check',
            title: t(pushWords.check),
            hint: t(pushWords.checkHint),
            button: t(taskWords.run),
            run: () => checkPush(object.id),
          },
        ]
      : []),
  ];
}

/** The fields of a system user, its actions and its command filters. */
function Overview(props: OverviewProps) {
  const { object, change, refresh } = props;
  const { testSystemUser } = useAccountTask();
  const pushActions = usePushActions(props);
  const test = {
    key: 'test',
    title: t(pushWords.testAccount),
    button: t(taskWords.run),
    run: () => testSystemUser(object.id),
  };
  return (
    <DetailColumns
      left={<DetailCard source={systemUser} object={object} facts={factsOf(object)} />}
      right={
        <>
          <QuickActionsCard
            actions={[
              ...(isTested(object) && canPush(object) ? pushActions : []),
              ...(isTested(object) ? [test] : []),
              ...takeBackActions(systemUser, object, refresh),
            ]}
          />
          {typesCommands(object.protocol) && FILTERS && (
            <RelationCard
              title={t(systemUser.fields.cmd_filters.label)}
              reference={FILTERS}
              value={object.cmd_filters}
              onChange={(cmd_filters) => change({ cmd_filters })}
            />
          )}
        </>
      }
    />
  );
}

export function SystemUserDetail() {
  const sessionsTab = useSessionsTab();
  return (
    <DetailPage<SystemUser>
      source={systemUser}
      hasDelete
      past={({ id }) => sessionsTab({ system_user_id: id })}
      tabs={(object, { change, refresh }) => [
        {
          name: 'Detail',
          label: t(detailWords.overview),
          render: () => <Overview object={object} change={change} refresh={refresh} />,
        },
        {
          name: 'AssetList',
          label: t(words.assetList),
          render: () => <PreferredAccounts kind="system_user" id={object.id} />,
        },
        ...(canPush(object)
          ? [
              {
                name: 'Pushes',
                label: t(pushWords.pushes),
                render: () => <Pushes systemUser={object.id} isOn={object.auto_push} />,
              },
            ]
          : []),
        {
          name: 'Access',
          label: t(detailWords.access),
          sections: [
            {
              name: 'AccountAccess',
              label: t(accessWords.whoUsesTitle),
              render: () => <WhoCanReach place="system-users" id={object.id} />,
            },
            {
              name: 'Permissions',
              label: t(words.permissions),
              render: () => <PermissionRules base={{ system_user_id: object.id }} embedded />,
            },
          ],
        },
      ]}
    />
  );
}
