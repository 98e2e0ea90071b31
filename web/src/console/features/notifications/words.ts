import { catalogue } from '../../../kit/i18n/index.ts';

export const words = catalogue({
  mails: { zh: '邮件', en: 'Mails' },
  mailAlways: { zh: '立即发送', en: 'At once' },
  mailOutside: { zh: '免打扰时段外发送', en: 'Not in quiet hours' },
  mailDaily: { zh: '每日汇总', en: 'Once a day' },
  mailFrom: { zh: '开始', en: 'From' },
  mailTo: { zh: '结束', en: 'To' },
  mailAt: { zh: '发送时间', en: 'At' },
  mailHint: {
    zh: '有关密码、紧急访问、新网络登录和正在等待您的用户的邮件始终立即发送。',
    en: 'Mails about passwords, emergencies, new networks and users who wait for you are always sent at once.',
  },
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
