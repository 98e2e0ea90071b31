import type { Client } from '../../server/src/testing/client.ts';

/** One page of the product, as it is photographed. */
export interface Scene {
  readonly name: string;
  readonly address: string;
  /** One of the five that a stranger judges by; photographed at three sizes. */
  readonly isKey?: boolean;
}

type Row = Readonly<Record<string, unknown>> & { readonly id: string };

async function first(admin: Client, path: string, fits: (row: Row) => boolean = () => true): Promise<string> {
  const { body } = await admin.get<Row[]>(path);
  const found = Array.isArray(body) ? body.find(fits) : undefined;
  if (!found) throw new Error(`there is nothing to photograph below ${path}`);
  return found.id;
}

/** Every page of the administrator. */
export async function adminScenes(admin: Client): Promise<Scene[]> {
  const [asset, domain, keeper, account, filter, rule, person, group, session, replay, terminal, storage, commands, platform] = await Promise.all([
    first(admin, 'assets/assets/?hostname=demo-shell'),
    first(admin, 'assets/domains/', (row) => Number(row.gateway_count) > 0),
    first(admin, 'assets/admin-users/'),
    first(admin, 'assets/system-users/'),
    first(admin, 'assets/cmd-filters/'),
    first(admin, 'perms/asset-permissions/'),
    first(admin, 'users/users/?username=wanghaoran'),
    first(admin, 'users/groups/'),
    first(admin, 'terminal/sessions/', (row) => row.can_replay === true && Number(row.command_amount) > 4),
    first(admin, 'terminal/sessions/', (row) => row.can_replay === true && Number(row.command_amount) > 6),
    first(admin, 'terminal/terminals/'),
    first(admin, 'terminal/replay-storages/'),
    first(admin, 'terminal/command-storages/'),
    first(admin, 'assets/platforms/'),
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
    { name: 'permissions', address: '/ui/perms/asset-permissions' },
    { name: 'permission-detail', address: `/ui/perms/asset-permissions/${rule}` },
    { name: 'permission-create', address: '/ui/perms/asset-permissions/create' },
    { name: 'unused-access', address: '/ui/perms/unused-access' },
    { name: 'sessions-online', address: '/ui/terminal/session' },
    { name: 'sessions-history', address: '/ui/terminal/session?activeTab=OfflineList' },
    { name: 'session-detail', address: `/ui/terminal/sessions/${session}` },
    { name: 'session-commands', address: `/ui/terminal/sessions/${session}?activeTab=SessionCommandList` },
    { name: 'commands', address: '/ui/terminal/command' },
    { name: 'terminals', address: '/ui/terminal/terminal' },
    { name: 'terminal-detail', address: `/ui/terminal/terminal/${terminal}` },
    { name: 'terminal-update', address: `/ui/terminal/terminal/${terminal}/update` },
    { name: 'storages', address: '/ui/terminal/storages' },
    { name: 'command-storages', address: '/ui/terminal/command-storages' },
    { name: 'command-storage-create', address: '/ui/terminal/command-storages/create' },
    { name: 'command-storage-detail', address: `/ui/terminal/command-storage/${commands}` },
    { name: 'storage-detail', address: `/ui/terminal/replay-storage/${storage}` },
    { name: 'storage-create', address: '/ui/terminal/storages/create' },
    { name: 'login-log', address: '/ui/audits/login-log' },
    { name: 'operate-log', address: '/ui/audits/operate-log' },
    { name: 'file-transfer-log', address: '/ui/audits/ftp-log' },
    { name: 'profile', address: '/ui/users/profile' },
    { name: 'files', address: '/koko/elfinder/sftp/' },
    { name: 'files-of-asset', address: `/koko/elfinder/sftp/${asset}/` },
    { name: 'not-found', address: '/ui/404' },
    { name: 'replay', address: `/luna/replay/${replay}`, isKey: true },
  ];
}
