import { choice, textMap } from '../../kit/field.ts';
import { flag, help, label, optional } from '../../settings/kit.ts';

/** Sign-in through a CAS server. */
export const SETTINGS = {
  cas: {
    title: { en: 'CAS', zh: 'CAS 设置' },
    fields: {
      AUTH_CAS_NAME: optional(
        label('Name', '名称'),
        64,
        help('Shown on the button of the sign-in page', '显示在登录页面的按钮上'),
      ),
      AUTH_CAS_SERVER_URL: optional(label('Server address', '服务器地址'), 1024, {
        ...help('For example https://cas.example.com/cas', '例如 https://cas.example.com/cas'),
        format: 'url',
        isService: true,
      }),
      AUTH_CAS_VERSION: choice({
        ...label('Protocol version', '协议版本'),
        ...help('Version 3 includes attributes', '版本 3 会提供用户属性'),
        choices: [
          { value: '3', label: { en: '3', zh: '3' } },
          { value: '2', label: { en: '2', zh: '2' } },
        ],
        defaultValue: '3',
      }),
      AUTH_CAS_USER_ATTR_MAP: textMap({
        ...label('Attribute mapping', '用户属性映射'),
        ...help('user = the username that the server confirms', 'user 表示服务器确认的用户名'),
        required: true,
        defaultValue: { username: 'user', name: 'displayName', email: 'mail' },
      }),
      AUTH_CAS_CREATE_USERS: flag(
        label('Create accounts', '自动创建账号'),
        true,
        help('Creates an account at a user’s first sign-in', '用户首次登录时自动创建账号'),
      ),
      AUTH_CAS_LOGOUT: flag(label('Also sign out at the server', '同时在 CAS 服务器退出'), true),
      AUTH_CAS: flag(label('Enable CAS sign-in', '启用 CAS 认证'), false),
    },
  },
} as const;
