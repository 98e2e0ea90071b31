import type { GeneralObstacle, Obstacle } from '@sallyport/contract';
import { catalogue } from '../../../kit/i18n/index.ts';

export const words = catalogue({
  atTime: { zh: '时间', en: 'When' },
  atTimeHelp: { zh: '留空为当前时间', en: 'Now if blank' },
  fromAddress: { zh: '客户端地址', en: 'From IP address' },
  fromAddressHelp: { zh: '留空则不判断网络', en: 'Networks are not checked if blank' },
  notAddress: { zh: '请输入 IPv4 或 IPv6 地址', en: 'Enter an IPv4 or IPv6 address' },
  whoTitle: { zh: '可访问者', en: 'Who can connect' },
  assets: { zh: '资产', en: 'Assets' },
  whoCount: { zh: '可访问的用户', en: 'Users who can connect' },
  whatCount: { zh: '可访问的资产', en: 'Assets within reach' },
  whatGroupTitle: { zh: '成员可访问的资产', en: 'What its members can reach' },
  whoUsesTitle: { zh: '可使用者', en: 'Who can use this' },
  accounts: { zh: '系统用户', en: 'System users' },
  reasons: { zh: '依据', en: 'Why' },
  until: { zh: '有效期至', en: 'Until' },
  throughGroup: { zh: '用户组', en: 'group' },
  throughNode: { zh: '节点', en: 'node' },
  noAccount: { zh: '没有适用的系统用户', en: 'No matching system user' },
  checkTitle: { zh: '访问检查', en: 'Access check' },
  tryIt: { zh: '试一试…', en: 'Try it…' },
  tryTitle: { zh: '谁能连接到哪里？', en: 'Can this user connect?' },
  tryHint: {
    zh: '选择用户和资产，可指定时间与客户端地址。检查按已保存的授权进行，不会建立连接。',
    en: 'Choose a user and an asset, and a time and address if they matter. The check uses the saved permissions and opens no connection.',
  },
  grantAccess: { zh: '授权…', en: 'Grant access…' },
  chooseUser: { zh: '选择用户', en: 'Choose a user' },
  chooseAsset: { zh: '选择资产', en: 'Choose an asset' },
  onlyIf: { zh: '条件：{condition}', en: 'only: {condition}' },
  needsApproval: { zh: '每次连接须审批', en: 'each connection needs approval' },
  needsWatcher: { zh: '须有审批人监看', en: 'a reviewer must watch' },
  notNow: { zh: '现在不能连接', en: 'Not now' },
  yes: { zh: '可以连接', en: 'Can connect' },
  no: { zh: '无法连接', en: 'Cannot connect' },
  nearest: { zh: '最接近的授权', en: 'The nearest permissions' },
  nothing: {
    zh: '没有授权包含该用户或该资产。',
    en: 'No permission includes this user or this asset.',
  },
  nothingApp: {
    zh: '没有授权包含该用户或该应用。',
    en: 'No permission includes this user or this application.',
  },
  emptyApp: { zh: '目前没有用户可以使用此应用。', en: 'No user can use this application now.' },
  viewAs: { zh: '显示方式', en: 'Show as' },
  table: { zh: '表格', en: 'Table' },
  tree: { zh: '树', en: 'Tree' },
  namesUsers: { zh: '直接授权的用户', en: 'Users named by the permission' },
  namesAssets: { zh: '直接授权的资产', en: 'Assets named by the permission' },
  asAccounts: { zh: '系统用户：{names}', en: 'as {names}' },
  userCount: { zh: '{count, number} 个用户', en: '{count, plural, one {# user} other {# users}}' },
  assetCount: {
    zh: '{count, number} 个资产',
    en: '{count, plural, one {# asset} other {# assets}}',
  },
  more: { zh: '更多（还有 {count, number} 项）', en: 'Show more ({count, number} left)' },
  showBranch: { zh: '展开：{name}', en: 'Expand: {name}' },
  whatIf: { zh: '保存后的访问变化', en: 'How access changes when this is saved' },
  whatIfNothing: {
    zh: '没有人获得或失去访问权限。系统用户只在提供其协议的资产上有效。',
    en: 'Nobody gains or loses access. A system user counts only at assets that offer its protocol.',
  },
  reviewChanges: { zh: '确认访问变化', en: 'Review access changes' },
  saveChanges: { zh: '保存', en: 'Save' },
  changesMany: {
    zh: '此更改影响大量访问权限，是否保存？',
    en: 'This changes access for many users. Save anyway?',
  },
  emptyUsers: { zh: '目前没有用户可以访问此资产。', en: 'No user can reach this asset now.' },
  emptyNode: {
    zh: '目前没有用户可以访问该节点下的资产。',
    en: 'No user can reach an asset of this node now.',
  },
  emptyAccount: {
    zh: '目前没有用户可以使用此系统用户。',
    en: 'No user can use this system user now.',
  },
  emptyGroup: {
    zh: '该用户组目前不能访问任何资产。',
    en: 'This group cannot reach any asset now.',
  },
  emptyAssets: { zh: '该用户目前不能访问任何资产。', en: 'This user cannot reach any asset now.' },
  grantsAll: {
    zh: '将授权全部 {count, number} 个资产，以及以后添加的资产。是否继续？',
    en: 'This grants {count, plural, one {the only asset} other {all # assets}}, and all assets added later. Continue?',
  },
});

/**
 * Reasons why a permission does not grant an access. `{date}` is the start or end of the
 * permission; `{offered}` and `{spoken}` are protocols.
 */
export const OBSTACLE_TEXTS = catalogue({
  disabled: { zh: '已禁用', en: 'Disabled' },
  not_started: { zh: '将于 {date} 生效', en: 'Starts on {date}' },
  expired: { zh: '已于 {date} 失效', en: 'Ended on {date}' },
  user: { zh: '未包含该用户', en: 'Does not include this user' },
  asset: { zh: '未包含该资产', en: 'Does not include this asset' },
  protocol: {
    zh: '资产提供 {offered}，系统用户的协议为 {spoken}',
    en: 'The asset offers {offered}, but the system users of the permission use {spoken}',
  },
} satisfies Record<Obstacle, unknown>);

/** Instead of the obstacle `protocol` where one side has no protocol. */
export const PROTOCOL_TEXTS = catalogue({
  noSystemUser: { zh: '授权没有系统用户', en: 'The permission has no system user' },
  nothingOffered: { zh: '资产不提供任何协议', en: 'The asset offers no protocol' },
  hostLacks: {
    zh: '应用所在的资产不提供 rdp',
    en: 'The asset of the application does not offer rdp',
  },
});

/** The reasons for permissions for applications, where the text differs. */
export const APP_OBSTACLE_TEXTS = catalogue({
  asset: { zh: '未包含该应用', en: 'Does not include this application' },
  protocol: {
    zh: '应用需要 {offered}，系统用户的协议为 {spoken}',
    en: 'The application needs {offered}, but the system users of the permission use {spoken}',
  },
} satisfies Partial<Record<Obstacle, unknown>>);

/** Obstacles that do not depend on permissions. */
export const GENERAL_TEXTS = catalogue({
  user_disabled: { zh: '该用户已禁用。', en: 'The user is disabled.' },
  user_expired: { zh: '该用户已过期。', en: 'The user has expired.' },
  asset_disabled: { zh: '该资产已禁用。', en: 'The asset is disabled.' },
} satisfies Record<GeneralObstacle, unknown>);
