import { randomUUID as id } from 'node:crypto';
import type { ApiServer } from './api-server.ts';

const DEFAULT_ORG = '00000000-0000-0000-0000-000000000002';
const ROOT_ORG = '00000000-0000-0000-0000-000000000000';
const role = (index: number) => ({
  id: `00000000-0000-0000-0000-00000000000${index}`,
  display_name: 'A role',
});
const choice = (value: string) => ({ value, label: value.toUpperCase() });

/** Secrets of accounts, which no output may contain. */
export const API_SECRETS = ['root of web-1', 'root of web-2', 'jump of gate'];

/** Fills lists in the form of versions 3.x and 4.x: an organization, and a user outside of it. */
export function fillApi3({ lists }: ApiServer, zones: 'domains' | 'zones') {
  const ids = {
    boss: id(),
    ...{ org: id(), liWei: id(), chief: id(), group: id(), root: id(), prod: id() },
    ...{ web1: id(), web2: id(), gate: id(), zone: id(), all: id(), some: id(), filter: id() },
  };
  const objectOf = (one: keyof typeof ids, name: string) => ({ id: ids[one], name });
  const inOrg = (path: string, items: readonly Record<string, unknown>[]) =>
    lists.set(
      `${ids.org} ${path}`,
      items.map((item) => ({ ...item, org_id: ids.org, org_name: 'Shanghai' })),
    );
  lists.set('orgs/orgs/', [
    { id: DEFAULT_ORG, name: 'DEFAULT' },
    { id: ids.org, name: 'Shanghai', comment: '' },
  ]);
  const person = (one: 'liWei' | 'chief' | 'boss', username: string, system: number) => ({
    ...{ id: ids[one], username, name: username, email: `${username}@example.com` },
    ...{ source: choice('local'), is_active: true, date_expired: '2090/01/01 00:00:00 +0800' },
    ...{ mfa_level: { value: 0, label: 'Disabled' }, system_roles: [role(system)] },
  });
  const liWei = { ...person('liWei', 'li.wei', 3), org_roles: [role(7)] };
  lists.set('users/users/', [liWei]);
  lists.set(`${ROOT_ORG} users/users/`, [person('boss', 'boss', 1), liWei]);
  inOrg('users/users/', [liWei, { ...person('chief', 'chief', 3), org_roles: [role(5)] }]);
  inOrg('users/groups/', [objectOf('group', 'Operators')]);
  inOrg('users/users-groups-relations/', [{ id: 1, user: ids.liWei, usergroup: ids.group }]);
  inOrg('assets/nodes/', [
    { id: ids.root, key: '2', value: 'Shanghai', full_value: '/Shanghai' },
    { id: ids.prod, key: '2:1', value: 'Production', full_value: '/Shanghai/Production' },
  ]);
  inOrg(`assets/${zones}/`, [objectOf('zone', 'Office')]);
  lists.set('assets/platforms/', [
    {
      id: 1,
      name: 'Linux',
      type: choice('linux'),
      category: choice('host'),
      charset: choice('utf-8'),
    },
    { id: 7, name: 'Gateway', type: choice('linux'), category: choice('host') },
  ]);
  const asset = (one: 'web1' | 'web2' | 'gate', name: string, address: string, port: number) => ({
    ...{ ...objectOf(one, name), address, is_active: true, comment: '' },
    ...{
      platform: { id: one === 'gate' ? 7 : 1, name: 'Linux' },
      nodes: [objectOf('prod', 'Production')],
    },
    protocols: [{ name: 'ssh', port }],
    [zones.slice(0, -1)]: one === 'web2' ? null : objectOf('zone', 'Office'),
  });
  const gate = asset('gate', 'gate', '198.51.100.7', 2200);
  inOrg('assets/gateways/', [gate]);
  inOrg('assets/assets/', [
    asset('web1', 'web-1', '10.0.0.1', 22),
    asset('web2', 'web-2', '10.0.0.2', 2222),
    gate,
  ]);
  const accounts = [
    ['web1', 'root', 'root of web-1'],
    ['web2', 'root', 'root of web-2'],
    ['web2', 'deploy', null],
    ['gate', 'jump', 'jump of gate'],
  ] as const;
  const account = ([on, username]: (typeof accounts)[number]) => ({
    ...{ id: id(), username, name: username, asset: objectOf(on, on), is_active: true },
    secret_type: choice('password'),
  });
  inOrg('accounts/accounts/', accounts.map(account));
  inOrg(
    'accounts/account-secrets/',
    accounts.map((one) => ({ ...account(one), secret: one[2] })),
  );
  const permission = (one: 'all' | 'some', granted: readonly string[], actions: string[]) => ({
    ...{ ...objectOf(one, `For ${one}`), is_active: true, accounts: granted, protocols: ['all'] },
    ...{ actions: actions.map(choice), comment: '' },
    ...{ date_start: '2020/01/01 00:00:00 +0800', date_expired: '2090/01/01 00:00:00 +0800' },
  });
  inOrg('perms/asset-permissions/', [
    permission('all', ['@ALL'], ['connect', 'upload', 'copy']),
    permission('some', ['root', '@USER'], ['connect']),
  ]);
  const link = (at: number, one: 'all' | 'some', other: object) => ({
    ...{ id: at, assetpermission: ids[one], ...other },
  });
  inOrg('perms/asset-permissions-user-groups-relations/', [
    link(1, 'all', { usergroup: ids.group }),
  ]);
  inOrg('perms/asset-permissions-nodes-relations/', [link(1, 'all', { node: ids.prod })]);
  inOrg('perms/asset-permissions-users-relations/', [link(1, 'some', { user: ids.chief })]);
  inOrg('perms/asset-permissions-assets-relations/', [link(1, 'some', { asset: ids.web1 })]);
  const power = id();
  inOrg('acls/command-groups/', [
    { id: power, name: 'Power', type: choice('command'), content: 'reboot', ignore_case: true },
  ]);
  inOrg('acls/command-filter-acls/', [
    {
      ...{ ...objectOf('filter', 'No reboot'), action: choice('reject'), priority: 10 },
      ...{ users: { type: 'all' }, assets: { type: 'all' }, accounts: ['root'], is_active: true },
      command_groups: [{ id: power, name: 'Power' }],
    },
  ]);
  return ids;
}
