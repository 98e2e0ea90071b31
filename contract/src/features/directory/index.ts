import type { OptionalFeature, SignInSource } from '../feature.ts';

export { SETTINGS } from './settings.ts';

export const FEATURE = {
  title: { en: 'LDAP directory', zh: 'LDAP 目录' },
  without: {
    en: 'Users of the directory cannot sign in with its password, and the server does not shut their accounts.',
    zh: '目录用户无法用目录密码登录，其账号也不再自动停用。',
  },
  settings: ['ldap'],
} as const satisfies OptionalFeature;

/** Its users, as a source of accounts. */
export const SOURCE = {
  value: 'ldap',
  label: { en: 'LDAP/AD', zh: 'LDAP/AD' },
  service: 'LDAP',
  way: 'password',
  reportsGroups: true,
} as const satisfies SignInSource;
