import { defineRelation, type Relation, type RelationEnd } from '../kit/relation.ts';
import type { Resource } from '../kit/resource.ts';
import type { LocalText } from '../kit/text.ts';
import { databaseApp } from './applications/database-app.ts';
import { remoteApp } from './applications/remote-app.ts';
import { asset } from './assets/asset.ts';
import { node } from './assets/node.ts';
import { systemUser } from './assets/system-user.ts';
import { organization } from './orgs/organization.ts';
import { databaseAppPermission, remoteAppPermission } from './perms/app-permission.ts';
import { assetPermission } from './perms/asset-permission.ts';
import { user } from './users/user.ts';
import { userGroup } from './users/user-group.ts';

const rule: RelationEnd = { key: 'assetpermission', resource: assetPermission };

function ofRule(name: string, field: string, other: RelationEnd, title: LocalText): Relation {
  return defineRelation({
    path: `perms/asset-permissions-${name}-relations`,
    owner: rule,
    field,
    other,
    title,
  });
}

/** Relations of an application permission. */
function ofAppRule(
  key: 'remoteapp' | 'databaseapp',
  resource: Resource,
  app: Resource,
  { en, zh }: LocalText,
): Relation[] {
  const [path, field] = [resource.path, `${app.name}s`];
  const of = (name: string, links: string, other: RelationEnd, title: LocalText) =>
    defineRelation({
      path: `${path}-${name}-relations`,
      owner: { key: `${key}permission`, resource },
      field: links,
      other,
      title: { en: `${title.en} of a ${en}`, zh: `${zh}的${title.zh}` },
    });
  return [
    of('users', 'users', { key: 'user', resource: user }, user.title),
    of('user-groups', 'user_groups', { key: 'usergroup', resource: userGroup }, userGroup.title),
    of(field.replace('_', '-'), field, { key, resource: app }, app.title),
    of(
      'system-users',
      'system_users',
      { key: 'systemuser', resource: systemUser, display: 'account' },
      systemUser.title,
    ),
  ];
}

/** All relations with individually editable pairs. */
export const RELATIONS: readonly Relation[] = [
  defineRelation({
    path: 'users/users-groups-relations',
    owner: { key: 'usergroup', resource: userGroup },
    field: 'users',
    other: { key: 'user', resource: user },
    title: { en: 'Group membership', zh: '用户组成员' },
  }),
  ofRule(
    'users',
    'users',
    { key: 'user', resource: user },
    { en: 'User of an asset permission', zh: '资产授权的用户' },
  ),
  ofRule(
    'user-groups',
    'user_groups',
    { key: 'usergroup', resource: userGroup },
    { en: 'User group of an asset permission', zh: '资产授权的用户组' },
  ),
  ofRule(
    'assets',
    'assets',
    { key: 'asset', resource: asset },
    { en: 'Asset of an asset permission', zh: '资产授权的资产' },
  ),
  ofRule(
    'nodes',
    'nodes',
    { key: 'node', resource: node, display: 'full_value' },
    { en: 'Node of an asset permission', zh: '资产授权的节点' },
  ),
  ofRule(
    'system-users',
    'system_users',
    { key: 'systemuser', resource: systemUser, display: 'account' },
    { en: 'System user of an asset permission', zh: '资产授权的系统用户' },
  ),
  ...ofAppRule('remoteapp', remoteAppPermission, remoteApp, {
    en: 'remote app permission',
    zh: '远程应用授权',
  }),
  ...ofAppRule('databaseapp', databaseAppPermission, databaseApp, {
    en: 'database permission',
    zh: '数据库授权',
  }),
];

const MEMBERS: readonly [field: string, title: LocalText][] = [
  ['users', { en: 'User of an organization', zh: '组织的用户' }],
  ['admins', { en: 'Administrator of an organization', zh: '组织的管理员' }],
  ['auditors', { en: 'Auditor of an organization', zh: '组织的审计员' }],
];

/** Members of an organization by role; mounted below the organization. */
export const MEMBERSHIPS: readonly Relation[] = MEMBERS.map(([field, title]) =>
  defineRelation({
    path: `orgs/orgs/:id/membership/${field}`,
    owner: { key: 'organization', resource: organization },
    field,
    other: { key: 'user', resource: user, display: 'account' },
    title,
  }),
);
