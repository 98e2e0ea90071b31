import type { Client } from '../../server/src/testing/client.ts';
import { until } from '../../server/src/testing/poll.ts';

/** One page of the product, as it is photographed. */
export interface Scene {
  readonly name: string;
  readonly address: string;
  /** One of the five that a stranger judges by; photographed at three sizes. */
  readonly isKey?: boolean;
}

type Row = Readonly<Record<string, unknown>> & { readonly id: string };

async function first(
  admin: Client,
  path: string,
  fits: (row: Row) => boolean = () => true,
): Promise<string> {
  const { body } = await admin.get<Row[]>(path);
  const row = Array.isArray(body) ? body.find(fits) : undefined;
  if (!row) throw new Error(`there is nothing to photograph below ${path}`);
  return row.id;
}

/** Creates a plan that never runs automatically: the sample data has none. */
async function madePlan(admin: Client): Promise<string> {
  const [asset] = (await admin.get<Row[]>('assets/assets/?hostname=demo-shell')).body;
  const known = (await admin.get<Row[]>('xpack/change-auth-plan/plan/')).body[0];
  if (known) return known.id;
  const body = {
    name: 'Quarterly change of deploy',
    username: 'deploy',
    assets: [asset?.id],
    password_strategy: 'random_all',
    comment: 'After each quarter',
  };
  return createdRow(await admin.post<Row>('xpack/change-auth-plan/plan/', body));
}

async function madeGathering(admin: Client): Promise<string> {
  const known = (await admin.get<Row[]>('xpack/gathered-user/tasks/')).body[0];
  if (known) return known.id;
  // The hosts of the demo answer; the others of the sample data are nowhere.
  const node = await first(admin, 'assets/nodes/', (row) => String(row.value).startsWith('体验区'));
  return createdRow(
    await admin.post<Row>('xpack/gathered-user/tasks/', {
      name: 'Accounts of all servers',
      nodes: [node],
      comment: 'Every Monday',
    }),
  );
}

/** An account of a provider that is not there: nothing leaves while pictures are taken. */
async function madeCloud(
  admin: Client,
): Promise<{ readonly account: string; readonly task: string }> {
  const known = (await admin.get<(Row & { account: string })[]>('xpack/cloud/sync-instance-tasks/'))
    .body[0];
  if (known) return { account: known.account, task: known.id };
  const key = {
    provider: 'aliyun',
    access_key_id: 'LTAI5tEXAMPLE',
    access_key_secret: 'of nobody',
    endpoint: 'https://cloud.invalid',
  };
  const account = createdRow(
    await admin.post<Row>('xpack/cloud/accounts/', {
      name: 'Production account',
      ...key,
      comment: 'May read only',
    }),
  );
  const node = await first(admin, 'assets/nodes/');
  const body = {
    name: 'Every night from Hangzhou',
    account,
    regions: ['cn-hangzhou'],
    node,
    comment: 'All machines',
  };
  return {
    account,
    task: createdRow(await admin.post<Row>('xpack/cloud/sync-instance-tasks/', body)),
  };
}

/** Runs a plan or a gather task on the hosts of the demo, and waits for its end. */
async function ran(
  admin: Client,
  path: string,
  body: Readonly<Record<string, string>>,
): Promise<string> {
  const known = (await admin.get<Row[]>(`${path}/`)).body[0];
  const id = known?.id ?? String((await admin.post<{ task: string }>(`${path}/`, body)).body.task);
  await until(
    async () => (await admin.get<Row>(`${path}/${id}/`)).body.is_finished === true,
    'the run is over',
  );
  return id;
}

/** A receiver that is switched off: nothing leaves while pictures are taken. */
async function madeReceiver(admin: Client): Promise<string> {
  const known = (await admin.get<Row[]>('audits/event-receivers/')).body[0];
  if (known) return known.id;
  return createdRow(
    await admin.post<Row>('audits/event-receivers/', {
      name: 'SIEM',
      type: 'syslog',
      host: 'logs.example.com',
      is_active: false,
      comment: 'Security team',
    }),
  );
}

function createdRow({
  status,
  text,
  body,
}: {
  readonly status: number;
  readonly text: string;
  readonly body: Row;
}): string {
  if (status !== 201)
    throw new Error(`making something to photograph was answered with ${status} ${text}`);
  return body.id;
}

/** A run of work on servers, so that there are tasks, versions and executions to look at. */
async function madeRun(
  admin: Client,
  asset: string,
): Promise<{
  readonly task: string;
  readonly version: string;
  readonly execution: string;
  readonly job: string;
}> {
  const started = await admin.post<{ task: string }>(`assets/assets/${asset}/tasks/`, {
    action: 'test',
  });
  const newest = async (path: string) => (await admin.get<Row[]>(path)).body[0]?.id ?? '';
  await until(
    async () => (await newest('ops/adhoc-executions/?is_finished=true')) !== '',
    'the run is over',
  );
  return {
    task: await newest('ops/tasks/'),
    version: await newest('ops/adhoc/'),
    execution: await newest('ops/adhoc-executions/'),
    job: started.body.task,
  };
}

/** Every page of the administrator. */
export async function adminScenes(admin: Client): Promise<Scene[]> {
  const [
    asset,
    domain,
    keeper,
    account,
    filter,
    rule,
    person,
    group,
    session,
    replay,
    terminal,
    storage,
    commands,
    platform,
    plan,
    gathering,
    receiver,
  ] = await Promise.all([
    first(admin, 'assets/assets/?hostname=demo-shell'),
    first(admin, 'assets/domains/', (row) => Number(row.gateway_count) > 0),
    first(admin, 'assets/admin-users/'),
    first(admin, 'assets/system-users/'),
    first(admin, 'assets/cmd-filters/'),
    first(admin, 'perms/asset-permissions/'),
    first(admin, 'users/users/?username=wanghaoran'),
    first(admin, 'users/groups/'),
    first(
      admin,
      'terminal/sessions/',
      (row) => row.can_replay === true && Number(row.command_amount) > 4,
    ),
    first(
      admin,
      'terminal/sessions/',
      (row) => row.can_replay === true && Number(row.command_amount) > 6,
    ),
    first(admin, 'terminal/terminals/'),
    first(admin, 'terminal/replay-storages/'),
    first(admin, 'terminal/command-storages/'),
    first(admin, 'assets/platforms/'),
    madePlan(admin),
    madeGathering(admin),
    madeReceiver(admin),
  ]);
  const [database, appRule] = await Promise.all([
    first(admin, 'applications/database-apps/'),
    first(admin, 'perms/database-app-permissions/'),
  ]);
  const run = await madeRun(admin, asset);
  const cloud = await madeCloud(admin);
  const changing = await ran(admin, 'xpack/change-auth-plan/plan-execution', { plan });
  const collecting = await ran(admin, 'xpack/gathered-user/task-executions', { task: gathering });
  const [request, emergency, rules] = await Promise.all([
    first(admin, 'tickets/tickets/?type=request_asset&status=open'),
    first(admin, 'tickets/tickets/?type=emergency'),
    first(admin, 'perms/emergency-access/'),
  ]);
  return [
    { name: 'dashboard', address: '/ui/dashboard', isKey: true },
    { name: 'users', address: '/ui/users/users' },
    { name: 'user-detail', address: `/ui/users/users/${person}` },
    { name: 'user-access', address: `/ui/users/users/${person}?activeTab=UserAccess` },
    { name: 'user-create', address: '/ui/users/users/create' },
    { name: 'user-update', address: `/ui/users/users/${person}/update` },
    { name: 'groups', address: '/ui/users/groups' },
    { name: 'group-detail', address: `/ui/users/groups/${group}` },
    { name: 'group-create', address: '/ui/users/groups/create' },
    { name: 'assets', address: '/ui/assets/assets', isKey: true },
    { name: 'assets-none', address: '/ui/assets/assets?search=there-is-no-such-thing' },
    { name: 'asset-detail', address: `/ui/assets/assets/${asset}` },
    { name: 'asset-access', address: `/ui/assets/assets/${asset}?activeTab=AssetAccess` },
    { name: 'asset-create', address: '/ui/assets/assets/create' },
    { name: 'platforms', address: '/ui/assets/platforms' },
    { name: 'platform-detail', address: `/ui/assets/platforms/${platform}` },
    { name: 'platform-create', address: '/ui/assets/platforms/create' },
    { name: 'domains', address: '/ui/assets/domains' },
    { name: 'domain-detail', address: `/ui/assets/domains/${domain}` },
    { name: 'admin-users', address: '/ui/assets/admin-users' },
    { name: 'admin-user-detail', address: `/ui/assets/admin-users/${keeper}` },
    { name: 'system-users', address: '/ui/assets/system-users' },
    { name: 'system-user-detail', address: `/ui/assets/system-users/${account}` },
    { name: 'system-user-create', address: '/ui/assets/system-users/create' },
    { name: 'command-filters', address: '/ui/assets/cmd-filters' },
    { name: 'command-filter-detail', address: `/ui/assets/cmd-filters/${filter}` },
    { name: 'command-filter-rules', address: `/ui/assets/cmd-filters/${filter}?activeTab=rules` },
    { name: 'command-filter-create', address: '/ui/assets/cmd-filters/create' },
    { name: 'labels', address: '/ui/assets/labels' },
    { name: 'label-create', address: '/ui/assets/labels/create' },
    { name: 'remote-apps', address: '/ui/applications/remote-apps' },
    { name: 'remote-app-create', address: '/ui/applications/remote-apps/create' },
    { name: 'database-apps', address: '/ui/applications/database-apps' },
    { name: 'database-app-detail', address: `/ui/applications/database-apps/${database}` },
    {
      name: 'database-app-access',
      address: `/ui/applications/database-apps/${database}?activeTab=AppAccess`,
    },
    { name: 'database-app-create', address: '/ui/applications/database-apps/create' },
    { name: 'remote-app-permissions', address: '/ui/perms/remote-app-permissions' },
    { name: 'database-app-permissions', address: '/ui/perms/database-app-permissions' },
    {
      name: 'database-app-permission-detail',
      address: `/ui/perms/database-app-permissions/${appRule}`,
    },
    {
      name: 'database-app-permission-apps',
      address: `/ui/perms/database-app-permissions/${appRule}?activeTab=DatabaseAppPermissionDatabaseApp`,
    },
    {
      name: 'database-app-permission-create',
      address: '/ui/perms/database-app-permissions/create',
    },
    { name: 'permissions', address: '/ui/perms/asset-permissions' },
    { name: 'permission-detail', address: `/ui/perms/asset-permissions/${rule}` },
    { name: 'permission-create', address: '/ui/perms/asset-permissions/create' },
    { name: 'emergency-rules', address: '/ui/perms/emergency-access' },
    { name: 'emergency-rule-detail', address: `/ui/perms/emergency-access/${rules}` },
    { name: 'emergency-rule-create', address: '/ui/perms/emergency-access/create' },
    { name: 'tickets', address: '/ui/tickets/tickets?activeTab=AssignedTicketList' },
    { name: 'ticket-request', address: `/ui/tickets/tickets/${request}` },
    { name: 'ticket-emergency', address: `/ui/tickets/tickets/${emergency}` },
    { name: 'request-access', address: '/ui/tickets/request-access' },
    { name: 'unused-access', address: '/ui/perms/unused-access' },
    { name: 'sessions-online', address: '/ui/terminal/session' },
    { name: 'sessions-history', address: '/ui/terminal/session?activeTab=OfflineList' },
    { name: 'session-detail', address: `/ui/terminal/sessions/${session}` },
    {
      name: 'session-commands',
      address: `/ui/terminal/sessions/${session}?activeTab=SessionCommandList`,
    },
    { name: 'commands', address: '/ui/terminal/command' },
    { name: 'terminals', address: '/ui/terminal/terminal' },
    { name: 'terminal-detail', address: `/ui/terminal/terminal/${terminal}` },
    { name: 'terminal-update', address: `/ui/terminal/terminal/${terminal}/update` },
    { name: 'storages', address: '/ui/terminal/storages' },
    { name: 'command-storages', address: '/ui/terminal/command-storages' },
    { name: 'command-storage-create', address: '/ui/terminal/command-storage/create' },
    { name: 'command-storage-detail', address: `/ui/terminal/command-storage/${commands}` },
    { name: 'storage-detail', address: `/ui/terminal/replay-storage/${storage}` },
    { name: 'storage-create', address: '/ui/terminal/replay-storage/create' },
    { name: 'event-receivers', address: '/ui/audits/event-receivers' },
    { name: 'event-receiver-create', address: '/ui/audits/event-receivers/create' },
    { name: 'event-receiver-detail', address: `/ui/audits/event-receivers/${receiver}` },
    { name: 'login-log', address: '/ui/audits/login-log' },
    { name: 'operate-log', address: '/ui/audits/operate-log' },
    { name: 'file-transfer-log', address: '/ui/audits/ftp-log' },
    { name: 'vault', address: '/ui/xpack/vault' },
    { name: 'vault-create', address: '/ui/xpack/vault/create' },
    { name: 'asset-accounts', address: `/ui/assets/assets/${asset}?activeTab=AssetUserList` },
    {
      name: 'admin-user-accounts',
      address: `/ui/assets/admin-users/${keeper}?activeTab=AssetList`,
    },
    { name: 'system-user-pushes', address: `/ui/assets/system-users/${account}?activeTab=Pushes` },
    { name: 'plans', address: '/ui/xpack/change-auth-plan/plan' },
    { name: 'plan-create', address: '/ui/xpack/change-auth-plan/plan/create' },
    { name: 'plan-detail', address: `/ui/xpack/change-auth-plan/plan/${plan}` },
    {
      name: 'plan-assets',
      address: `/ui/xpack/change-auth-plan/plan/${plan}?activeTab=ChangeAuthPlanAsset`,
    },
    { name: 'cloud-center', address: '/ui/xpack/cloud' },
    { name: 'cloud-accounts', address: '/ui/xpack/cloud?activeTab=AccountList' },
    { name: 'cloud-account-create', address: '/ui/xpack/cloud/account/create' },
    { name: 'cloud-account-detail', address: `/ui/xpack/cloud/accounts/${cloud.account}` },
    { name: 'cloud-task-create', address: '/ui/xpack/cloud/sync-instance-tasks/create' },
    { name: 'cloud-task-detail', address: `/ui/xpack/cloud/sync-instance-tasks/${cloud.task}` },
    {
      name: 'cloud-task-history',
      address: `/ui/xpack/cloud/sync-instance-tasks/${cloud.task}?activeTab=HistoryList`,
    },
    {
      name: 'cloud-task-instances',
      address: `/ui/xpack/cloud/sync-instance-tasks/${cloud.task}?activeTab=AssetList`,
    },
    { name: 'plan-execution', address: `/ui/xpack/change-auth-plan/plan-execution/${changing}` },
    { name: 'gathered-users', address: '/ui/xpack/gathered-users' },
    { name: 'gather-tasks', address: '/ui/xpack/gathered-users/tasks' },
    { name: 'gather-task-create', address: '/ui/xpack/gathered-users/tasks/create' },
    { name: 'gather-task-detail', address: `/ui/xpack/gathered-users/tasks/${gathering}` },
    { name: 'gather-execution', address: `/ui/xpack/gathered-users/executions/${collecting}` },
    { name: 'tasks', address: '/ui/ops/tasks' },
    { name: 'task-detail', address: `/ui/ops/tasks/${run.task}` },
    { name: 'task-version', address: `/ui/ops/adhoc/${run.version}` },
    { name: 'task-execution', address: `/ui/ops/executions/${run.execution}` },
    {
      name: 'task-execution-hosts',
      address: `/ui/ops/executions/${run.execution}?activeTab=HostList`,
    },
    { name: 'task-monitor', address: '/ui/ops/task/monitor' },
    { name: 'task-log', address: `/ui/ops/celery/task/${run.job}/log` },
    { name: 'batch-command', address: '/ui/ops/command-executions/create' },
    { name: 'command-execution-log', address: '/ui/audits/command-execution-log' },
    { name: 'invitations', address: '/ui/users/invitations' },
    { name: 'group-update', address: `/ui/users/groups/${group}/update` },
    { name: 'asset-update', address: `/ui/assets/assets/${asset}/update` },
    { name: 'domain-create', address: '/ui/assets/domains/create' },
    { name: 'domain-gateways', address: `/ui/assets/domains/${domain}?activeTab=GatewayList` },
    { name: 'gateway-create', address: `/ui/assets/gateways/create?domain=${domain}` },
    { name: 'admin-user-create', address: '/ui/assets/admin-users/create' },
    {
      name: 'command-filter-rule-create',
      address: `/ui/assets/command-filter-rules/create?filter=${filter}`,
    },
    { name: 'remote-app-permission-create', address: '/ui/perms/remote-app-permissions/create' },
    { name: 'organizations', address: '/ui/xpack/orgs' },
    { name: 'organization-create', address: '/ui/xpack/orgs/create' },
    { name: 'password-log', address: '/ui/audits/password-change-log' },
    { name: 'settings', address: '/ui/settings' },
    { name: 'help', address: '/ui/help' },
    { name: 'docs', address: '/ui/help/docs' },
    { name: 'support', address: '/ui/help/support' },
    { name: 'enterprise', address: '/ui/help/enterprise' },
    { name: 'profile', address: '/ui/users/profile' },
    { name: 'files', address: '/koko/elfinder/sftp/' },
    { name: 'files-of-asset', address: `/koko/elfinder/sftp/${asset}/` },
    { name: 'not-found', address: '/ui/404' },
    { name: 'replay', address: `/luna/replay/${replay}`, isKey: true },
  ];
}
