import { secret, text, textMap } from '../../kit/field.ts';
import { flag, help, label, optional } from '../../settings/kit.ts';
import { OPENID_CLIENT_AUTH } from './client-auth.ts';

/** Sign-in through an OpenID Connect provider. */
export const SETTINGS = {
  openid: {
    title: { en: 'OpenID', zh: 'OpenID 设置' },
    fields: {
      AUTH_OPENID_NAME: optional(
        label('Name', '名称'),
        64,
        help('Shown on the button of the sign-in page', '显示在登录页面的按钮上'),
      ),
      AUTH_OPENID_ISSUER: optional(label('Issuer', '签发者地址'), 1024, {
        ...help('For example https://login.example.com', '例如 https://login.example.com'),
        format: 'url',
        isService: true,
      }),
      AUTH_OPENID_CLIENT_ID: optional(
        label('Client ID', '客户端 ID'),
        256,
        help(
          'Redirect URL to register at the provider: the address of this server followed by /core/auth/openid/callback/',
          '认证服务端的回调地址为本系统地址加 /core/auth/openid/callback/',
        ),
      ),
      AUTH_OPENID_CLIENT_SECRET: secret({ ...label('Client secret', '客户端密钥'), max: 1024 }),
      AUTH_OPENID_CLIENT_AUTH: OPENID_CLIENT_AUTH,
      AUTH_OPENID_SCOPES: text({
        ...label('Scopes', '授权范围'),
        max: 256,
        defaultValue: 'openid profile email',
        required: true,
      }),
      AUTH_OPENID_USER_ATTR_MAP: textMap({
        ...label('Attribute mapping', '用户属性映射'),
        required: true,
        defaultValue: { username: 'preferred_username', name: 'name', email: 'email' },
      }),
      AUTH_OPENID_GROUPS_CLAIM: optional(
        label('Claim with groups', '组声明'),
        128,
        help(
          'Such as groups or realm_access.roles. Group mappings use its values; blank: groups are not read',
          '例如 groups 或 realm_access.roles；供组映射使用，留空则不读取组',
        ),
      ),
      AUTH_OPENID_LOGOUT: flag(
        label('Also sign out at the provider', '同时在认证服务端退出'),
        true,
      ),
      AUTH_OPENID: flag(label('Enable OpenID sign-in', '启用 OpenID 认证'), false),
    },
  },
} as const;
