import type { LocalText } from '../../kit/text.ts';

/** Errors of CAS. */
export const ERRORS = {
  cas_test_failed: { en: '{step} failed: {reason}', zh: '{step}失败：{reason}' },
  cas_address: { en: 'Must begin with https://.', zh: '必须以 https:// 开头。' },
  cas_attribute_map: {
    en: 'Must name an attribute for username, name and email. user is the name that the server confirms.',
    zh: '须为 username、name、email 指定属性；user 表示服务器确认的用户名。',
  },
} as const satisfies Record<string, LocalText>;
