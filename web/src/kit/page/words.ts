import { catalogue } from '../i18n/index.ts';

export const words = catalogue({
  announcement: { zh: '公告', en: 'Announcement' },
  announcementMore: { zh: '查看详情', en: 'Read more' },
});
