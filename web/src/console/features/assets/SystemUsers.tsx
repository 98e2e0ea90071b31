import { Group } from '@mantine/core';
import { PROTOCOLS, protocolOf, type Row, systemUser } from '@sallyport/contract';
import { t } from '../../../kit/i18n/index.ts';
import { CopyButton } from '../../../kit/identity/CopyButton.tsx';
import { lazyComponent } from '../../../kit/lazy-component.tsx';
import { PageLink } from '../../base/navigation.tsx';
import { pagesOf } from '../../base/resources.ts';
import { DetailCard, type QuickAction, QuickActionsCard } from '../../resource/detail/Cards.tsx';
import { DetailColumns, DetailPage } from '../../resource/detail/DetailPage.tsx';
import type { FormValues } from '../../resource/form/form-state.ts';
import { GUIDE } from '../../resource/form/guide-places.ts';
import { moreOptions } from '../../resource/form/more-options.ts';
import type { FieldOverrides, FormGroup } from '../../resource/form/spec.ts';
import { ResourceList } from '../../resource/list/ResourceList.tsx';
import { PageHeader } from '../../resource/PageHeader.tsx';
import { FormPage, RelationCard } from '../../resource/ResourcePages.tsx';
import { referenceTo } from '../../resource/references.ts';
import { words as accessWords } from '../access/words.ts';
import { Clipped } from '../Clipped.tsx';
import { useSessionsTab } from '../sessions/useSessionsTab.tsx';
import { useBreakpoints } from '../useBreakpoints.ts';
import { useAccountTask } from './push/useAccountTask.ts';
import { words as pushWords } from './push/words.ts';
import { SecretUse, takeBackActions } from './Secrets.tsx';
import { words as taskWords } from './tasks/words.ts';
import { words } from './words.ts';

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

const GROUPS: readonly FormGroup<keyof typeof systemUser.fields>[] = [
  { title: words.account, fields: ['name', 'protocol', 'username', 'password', 'private_key'] },
  {
    title: words.signIn,
    fields: ['login_mode', 'username_same_with_user', 'auto_generate_key', 'no_password'],
    isFolded: true,
  },
  { title: words.kept, fields: ['auto_push', 'shell', 'home', 'sudo'], isFolded: true },
  {
    title: words.limits,
    fields: [
      'enforced',
      'allowed_commands',
      'cmd_filters',
      'sftp_root',
      'confirm_all_rows',
      'autocommit',
    ],
    isFolded: true,
  },
  moreOptions(['priority', 'comment']),
];

/** The account settings of the selected protocol. */
const accountOf = (values: FormValues) =>
  (protocolOf(String(values.protocol)) ?? PROTOCOLS[0]).account;

/** Command filters need typed lines, which desktops do not have. */
const typesCommands = (protocol: string) => protocol !== 'vnc' && protocol !== 'rdp';

/** The query workspace runs statements on these protocols. */
const isDatabase = (protocol: unknown) => protocolOf(String(protocol))?.sessionKind === 'query';

/** A push creates accounts on assets for these protocols. */
const canPush = (values: FormValues) =>
  values.login_mode === 'auto' && (values.protocol === 'ssh' || values.protocol === 'rdp');

/** Only VNC servers can run without a password. */
const canBeOpen = (values: FormValues) => values.login_mode === 'auto' && values.protocol === 'vnc';

/** Returns true if a job can test the system user on assets. */
const isTested = ({ login_mode: mode, protocol }: SystemUser) =>
  mode === 'auto' && protocolOf(protocol)?.onAssets === true;

/**
 * Secrets can be generated for protocols with private keys, because the public key stays readable.
 * A generated password is never shown, so it needs a push to reach the assets.
 */
const offersKey = (values: FormValues) =>
  values.login_mode === 'auto' &&
  (accountOf(values).privateKey || (canPush(values) && values.auto_push === true));
const takesKey = (values: FormValues) =>
  values.login_mode === 'auto' && accountOf(values).privateKey;
const isGenerated = (values: FormValues, updating: boolean) =>
  !updating && offersKey(values) && values.auto_generate_key === true;

const OVERRIDES: FieldOverrides = {
  login_mode: { guide: GUIDE.systemUsers },
  priority: { required: true, guide: GUIDE.systemUsers },
  username: { disabled: (values) => values.username_same_with_user === true },
  auto_push: { hidden: (values) => !canPush(values), guide: GUIDE.pushing },
  auto_generate_key: {
    hidden: (values, updating) => updating || !offersKey(values),
    guide: GUIDE.systemUsers,
  },
  no_password: { hidden: (values) => !canBeOpen(values), guide: GUIDE.systemUsers },
  password: {
    hidden: (values, updating) =>
      values.login_mode !== 'auto' ||
      isGenerated(values, updating) ||
      (canBeOpen(values) && values.no_password === true),
  },
  private_key: { hidden: (values, updating) => !takesKey(values) || isGenerated(values, updating) },
  confirm_all_rows: { hidden: (values) => !isDatabase(values.protocol) },
  autocommit: { hidden: (values) => !isDatabase(values.protocol) || values.protocol === 'redis' },
  enforced: { hidden: (values) => values.protocol !== 'ssh', guide: GUIDE.commandFilters },
  allowed_commands: {
    hidden: (values) => values.protocol !== 'ssh' || values.enforced !== true,
    required: true,
  },
  cmd_filters: { hidden: (values) => !typesCommands(String(values.protocol)) },
  sftp_root: { hidden: (values) => !accountOf(values).unixAccount, guide: GUIDE.sftpRoot },
  sudo: {
    hidden: (values) => !accountOf(values).unixAccount,
    required: true,
    guide: GUIDE.pushing,
  },
  shell: { hidden: (values) => !accountOf(values).unixAccount, required: true },
  home: { hidden: (values) => !accountOf(values).unixAccount },
};

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

// Loaded with its tab.
const PreferredAccounts = lazyComponent(() =>
  import('../asset-users/Accounts.tsx').then((module) => module.PreferredAccounts),
);
const WhoCanReach = lazyComponent(() =>
  import('../access/AccessLists.tsx').then((module) => module.WhoCanReach),
);
const Pushes = lazyComponent(() => import('./push/Pushes.tsx').then((module) => module.Pushes));
const PermissionRules = lazyComponent(() =>
  import('../perms/PermissionRules.tsx').then((module) => module.PermissionRules),
);

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

export function SystemUserDetail() {
  const sessionsTab = useSessionsTab();
  const { testSystemUser, pushSystemUser, checkPush } = useAccountTask();
  const quickActions = (
    object: SystemUser,
    change: (values: { auto_push: boolean }) => Promise<unknown>,
    refresh: () => Promise<unknown>,
  ) => [
    ...(isTested(object) && canPush(object) ? pushActions(object, change) : []),
    ...(isTested(object)
      ? [
          {
            key: 'test',
            title: t(pushWords.testAccount),
            button: t(taskWords.run),
            run: () => testSystemUser(object.id),
          },
        ]
      : []),
    ...takeBackActions(systemUser, object, refresh),
  ];
  const pushActions = (
    object: SystemUser,
    change: (values: { auto_push: boolean }) => Promise<unknown>,
  ): readonly QuickAction[] => [
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
  return (
    <DetailPage<SystemUser>
      source={systemUser}
      hasDelete
      tabs={(object, { change, refresh }) => [
        {
          name: 'Detail',
          label: t(words.systemUserDetail),
          render: () => (
            <DetailColumns
              left={
                <DetailCard
                  source={systemUser}
                  object={object}
                  facts={[
                    'name',
                    'username',
                    'protocol',
                    'login_mode',
                    'priority',
                    ...(object.no_password ? (['no_password'] as const) : []),
                    ...(isDatabase(object.protocol)
                      ? ([
                          'confirm_all_rows',
                          ...(object.protocol === 'redis' ? [] : (['autocommit'] as const)),
                        ] as const)
                      : []),
                    'enforced',
                    ...(object.enforced ? (['allowed_commands'] as const) : []),
                    'sftp_root',
                    ...(object.protocol === 'ssh' ? (['sudo', 'shell', 'home'] as const) : []),
                    'assets_amount',
                    'permissions_amount',
                    'date_secret_changed',
                    'date_created',
                    'created_by',
                    'comment',
                    ...(object.ssh_public_key ? [PUBLIC_KEY] : []),
                  ]}
                />
              }
              right={
                <>
                  <QuickActionsCard actions={quickActions(object, change, refresh)} />
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
          ),
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
          name: 'AccountAccess',
          label: t(accessWords.whoUsesTitle),
          render: () => <WhoCanReach place="system-users" id={object.id} />,
        },
        {
          name: 'Permissions',
          label: t(words.permissions),
          render: () => <PermissionRules base={{ system_user_id: object.id }} embedded />,
        },
        ...sessionsTab({ system_user_id: object.id }),
      ]}
    />
  );
}
