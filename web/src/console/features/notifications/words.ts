import { catalogue } from '../../../kit/i18n/index.ts';

export const words = catalogue({
  title: { zh: '通知', en: 'Notifications' },
  unread: {
    zh: '{count, number} 条未读通知',
    en: '{count, plural, one {# unread notification} other {# unread notifications}}',
  },
  none: { zh: '没有通知', en: 'No notifications' },
  noneHint: {
    zh: '申请、审批结果、变更申请、紧急访问、等待监看的会话、失败的任务、访问到期和告警会显示在这里。',
    en: 'Requests, decisions, change sets, emergencies, sessions that wait, failed jobs, ended access and alerts appear here.',
  },
  markAll: { zh: '全部标为已读', en: 'Mark all as read' },
  all: { zh: '全部通知', en: 'All notifications' },
  isUnread: { zh: '未读', en: 'Unread' },
  onThisBrowser: { zh: '在此浏览器弹出通知', en: 'Notify me in this browser' },
  blocked: {
    zh: '浏览器已阻止此网站的通知，请在浏览器设置中允许。',
    en: 'The browser blocks notifications of this site. Allow them in its settings.',
  },
});
