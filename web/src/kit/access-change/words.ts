import type { AccessChangeKind } from '@sallyport/contract';
import { catalogue } from '../i18n/language.ts';

/** Sentences for access changes. */
export const CHANGES = catalogue({
  gained: {
    zh: '{who} 将获得 {what} 的访问权限（{accounts}）{all}',
    en: '{who} will reach {what} as {accounts}{all}',
  },
  lost: {
    zh: '{who} 将失去 {what} 的访问权限（{accounts}）{all}',
    en: '{who} will no longer reach {what} as {accounts}{all}',
  },
  more_actions: {
    zh: '{who} 在 {what} 上增加动作：{actions}（{accounts}）{all}',
    en: '{who} will also be allowed to {actions} on {what} as {accounts}{all}',
  },
  fewer_actions: {
    zh: '{who} 在 {what} 上减少动作：{actions}（{accounts}）{all}',
    en: '{who} will no longer be allowed to {actions} on {what} as {accounts}{all}',
  },
  longer: {
    zh: '{who} 对 {what} 的访问期限延长（{accounts}）{all}',
    en: '{who} will keep {what} longer as {accounts}{all}',
  },
  shorter: {
    zh: '{who} 对 {what} 的访问期限缩短（{accounts}）{all}',
    en: '{who} will keep {what} for a shorter time as {accounts}{all}',
  },
} satisfies Record<AccessChangeKind, unknown>);

/** Single actions by their wire names. */
export const ACTIONS = catalogue({
  connect: { zh: '连接', en: 'connect' },
  upload_file: { zh: '上传文件', en: 'upload files' },
  download_file: { zh: '下载文件', en: 'download files' },
  forward_port: { zh: '转发端口', en: 'forward ports' },
  clipboard_copy: { zh: '从桌面复制文本', en: 'copy text from desktops' },
  clipboard_paste: { zh: '向桌面粘贴文本', en: 'paste text into desktops' },
  change_data: { zh: '修改数据', en: 'change data' },
});

export const words = catalogue({
  users: { zh: '{count, number} 位用户', en: '{count, plural, one {# user} other {# users}}' },
  asset: { zh: '{count, number} 个资产', en: '{count, plural, one {# asset} other {# assets}}' },
  remote_app: {
    zh: '{count, number} 个远程应用',
    en: '{count, plural, one {# remote app} other {# remote apps}}',
  },
  database_app: {
    zh: '{count, number} 个数据库应用',
    en: '{count, plural, one {# database} other {# databases}}',
  },
  cluster: {
    zh: '{count, number} 个集群',
    en: '{count, plural, one {# cluster} other {# clusters}}',
  },
  accounts: {
    zh: '{count, number} 个系统用户',
    en: '{count, plural, one {# system user} other {# system users}}',
  },
  inAll: {
    zh: '，共 {count, number} 项',
    en: ', {count, plural, one {# access} other {# accesses}} in all',
  },
  from: { zh: '自 {date} 起：', en: 'From {date}:' },
  more: { zh: '{names} 等', en: '{names} …' },
});
