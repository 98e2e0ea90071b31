import { flag, help, label } from '../../settings/kit.ts';

/** Accounts that an identity provider maintains by SCIM. */
export const SETTINGS = {
  scim: {
    title: { en: 'SCIM', zh: 'SCIM 设置' },
    fields: {
      AUTH_SCIM_DELETE_USERS: flag(
        label('Delete accounts', '删除账号'),
        false,
        help(
          'Deletes an account when the provider deletes the user. When off, the account is disabled',
          '身份提供方删除用户时，同时删除本系统的账号；关闭时仅禁用账号',
        ),
      ),
      AUTH_SCIM: flag(label('Enable SCIM', '启用 SCIM'), false),
    },
  },
} as const;
