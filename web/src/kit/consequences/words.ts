import type { ConsequenceKind, LocalText } from '@sallyport/contract';
import { catalogue } from '../i18n/language.ts';

/** One sentence per kind of consequence, for one object or many. */
export const SENTENCES: Readonly<Record<ConsequenceKind, LocalText>> = {
  sessions_cut: {
    zh: '断开 {count, number} 个在线会话',
    en: 'Disconnects {count, plural, one {# open session} other {# open sessions}}',
  },
  sign_ins_ended: {
    zh: '结束 {count, number} 个登录会话',
    en: 'Ends {count, plural, one {# sign-in} other {# sign-ins}}',
  },
  keys_refused: {
    zh: '拒绝 {count, number} 个 API Key',
    en: 'Refuses {count, plural, one {# API key} other {# API keys}}',
  },
  keys_deleted: {
    zh: '删除 {count, number} 个 API Key',
    en: 'Deletes {count, plural, one {# API key} other {# API keys}}',
  },
  permissions_naming: {
    zh: '被 {count, number} 条资产授权引用',
    en: 'Named in {count, plural, one {# asset permission} other {# asset permissions}}',
  },
  permissions_gained: {
    zh: '新增适用 {count, number} 条资产授权',
    en: 'Gains {count, plural, one {# asset permission} other {# asset permissions}}',
  },
  permissions_lost: {
    zh: '不再适用 {count, number} 条资产授权',
    en: 'Loses {count, plural, one {# asset permission} other {# asset permissions}}',
  },
  app_permissions_naming: {
    zh: '被 {count, number} 条应用授权引用',
    en: 'Named in {count, plural, one {# application permission} other {# application permissions}}',
  },
  app_permissions_gained: {
    zh: '新增适用 {count, number} 条应用授权',
    en: 'Gains {count, plural, one {# application permission} other {# application permissions}}',
  },
  app_permissions_lost: {
    zh: '不再适用 {count, number} 条应用授权',
    en: 'Loses {count, plural, one {# application permission} other {# application permissions}}',
  },
  people_losing: {
    zh: '{count, number} 位用户将失去访问权限',
    en: 'Removes access for {count, plural, one {# user} other {# users}}',
  },
  people_gaining: {
    zh: '{count, number} 位用户将获得访问权限',
    en: 'Gives access to {count, plural, one {# user} other {# users}}',
  },
  people_concerned: {
    zh: '涉及 {count, number} 位用户',
    en: 'Affects {count, plural, one {# user} other {# users}}',
  },
  members: {
    zh: '有 {count, number} 位成员',
    en: 'Has {count, plural, one {# member} other {# members}}',
  },
  groups: {
    zh: '移出 {count, number} 个用户组',
    en: 'Removed from {count, plural, one {# user group} other {# user groups}}',
  },
  assets_direct: {
    zh: '{count, number} 个资产改为直接连接，不再经过网关',
    en: 'Connects {count, plural, one {# asset} other {# assets}} directly, without a gateway',
  },
  domains_direct: {
    zh: '{count, number} 个网域不再经由它到达，其网关改为直接连接',
    en: 'Connects to the gateways of {count, plural, one {# domain} other {# domains}} directly, not through it',
  },
  assets_unreachable: {
    zh: '{count, number} 个资产无法连接：没有可用的网关',
    en: 'Makes {count, plural, one {# asset} other {# assets}} unreachable: no active gateway is left',
  },
  assets_labelled: {
    zh: '{count, number} 个资产将失去该标签',
    en: 'Removes the label from {count, plural, one {# asset} other {# assets}}',
  },
  assets_moved: {
    zh: '{count, number} 个资产随之移动',
    en: 'Also moves {count, plural, one {# asset} other {# assets}}',
  },
  assets_blocking: {
    zh: '无法删除：其中还有 {count, number} 个资产',
    en: 'Cannot be deleted: it contains {count, plural, one {# asset} other {# assets}}',
  },
  nodes_blocking: {
    zh: '无法删除：其下还有 {count, number} 个节点',
    en: 'Cannot be deleted: it has {count, plural, one {# child node} other {# child nodes}}',
  },
  gateways_deleted: {
    zh: '同时删除 {count, number} 个网关',
    en: 'Also deletes {count, plural, one {# gateway} other {# gateways}}',
  },
  rules_deleted: {
    zh: '同时删除 {count, number} 条规则',
    en: 'Also deletes {count, plural, one {# rule} other {# rules}}',
  },
  accounts_unfiltered: {
    zh: '{count, number} 个系统用户不再受其限制',
    en: 'No longer limits {count, plural, one {# system user} other {# system users}}',
  },
  sessions_unfiltered: {
    zh: '{count, number} 个在线会话随即不再受其限制',
    en: 'No longer limits {count, plural, one {# open session} other {# open sessions}}, starting with the next line',
  },
};

export const words = catalogue({
  title: { zh: '影响', en: 'Impact' },
  loading: { zh: '正在检查影响', en: 'Checking the impact' },
  nothing: { zh: '不影响其他对象。', en: 'Nothing else is affected.' },
  failed: { zh: '无法获取影响：{why}', en: 'Could not load the impact: {why}' },
  more: { zh: '{names} 等', en: '{names} …' },
  endsAccess: {
    zh: '结束 {signIns, number} 个登录会话和 {sessions, number} 个在线会话，拒绝 {keys, number} 个 API Key',
    en: 'Ends {signIns, plural, one {# sign-in} other {# sign-ins}} and {sessions, plural, one {# session} other {# sessions}}, refuses {keys, plural, one {# API key} other {# API keys}}',
  },
  undo: { zh: '撤销', en: 'Undo' },
  undone: { zh: '已撤销', en: 'Undone' },
  typeToConfirm: { zh: '请输入 {phrase} 以确认', en: 'Type {phrase} to confirm' },
});
