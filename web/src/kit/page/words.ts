import { catalogue } from '../i18n/index.ts';

export const words = catalogue({
  announcement: { zh: '公告', en: 'Announcement' },
  passwordEnds: {
    zh: '您的密码将在 {days, number} 天后过期。',
    en: 'Your password expires in {days, plural, one {# day} other {# days}}.',
  },
  changePassword: { zh: '修改密码', en: 'Change password' },
  changeAtSource: {
    zh: '请在账号来源处（如用户目录）修改。',
    en: 'Change it where your account comes from, such as the directory.',
  },
  announcementMore: { zh: '查看详情', en: 'Read more' },
});
