import { catalogue } from '../i18n/language.ts';

export const words = catalogue({
  ask: { zh: '可以联系管理员：{names}', en: 'Ask an administrator: {names}' },
  names: { zh: '管理员：{names}', en: 'Administrators: {names}' },
  request: { zh: '申请访问权限', en: 'Request access' },
  more: {
    zh: '{names} 等 {count, number} 位',
    en: '{names} and {count, plural, one {# other} other {# others}}',
  },
});
