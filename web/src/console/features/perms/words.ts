import { catalogue } from '../../../kit/i18n/index.ts';

/** The words of the permission pages. */
export const words = catalogue({
  basic: { zh: '基本', en: 'Basic' },
  user: { zh: '用户', en: 'User' },
  asset: { zh: '资产', en: 'Asset' },
  action: { zh: '动作', en: 'Action' },
  other: { zh: '其它', en: 'Other' },
  basicInfo: { zh: '基本信息', en: 'Basic info' },
  usersTab: { zh: '用户或用户组', en: 'Users and user groups' },
  assetsTab: { zh: '资产或节点', en: 'Assets and node' },
  users: { zh: '用户', en: 'User' },
  userGroups: { zh: '用户组', en: 'UserGroups' },
  assets: { zh: '资产', en: 'Asset' },
  nodes: { zh: '节点', en: 'Node' },
  systemUsers: { zh: '系统用户', en: 'System user' },
  username: { zh: '用户名', en: 'Username' },
  hostname: { zh: '主机名', en: 'Hostname' },
  inherit: { zh: '继承', en: 'Inherit' },
  include: { zh: '包含', en: 'Include' },
  exclude: { zh: '不包含', en: 'Exclude' },
  active: { zh: '激活中', en: 'Active' },
  addUser: { zh: '添加用户', en: 'Add user' },
  addGroup: { zh: '添加用户组', en: 'Add user group' },
  addAsset: { zh: '添加资产', en: 'Add asset' },
  addNode: { zh: '添加节点', en: 'Add node' },
  members: { zh: '用户', en: 'Users' },
  reached: { zh: '资产', en: 'Assets' },
  emptyRules: {
    zh: '一条规则说明：谁，可以在哪些资产上，用哪个系统用户，做什么。',
    en: 'A rule sets who can do what, on which assets, as which system user.',
  },
  grantsAll: {
    zh: '这将授权全部 {count, number} 个资产，包括以后添加的资产。确定吗？',
    en: 'This grants {count, plural, one {the only asset} other {all # assets}}, and those that are added later. Are you sure?',
  },
  actionsLabel: { zh: '动作', en: 'Actions' },
});
