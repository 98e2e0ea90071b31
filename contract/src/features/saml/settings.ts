import { textMap } from '../../kit/field.ts';
import { flag, help, label, optional } from '../../settings/kit.ts';

/** Sign-in through a SAML identity provider. */
export const SETTINGS = {
  saml: {
    title: { en: 'SAML', zh: 'SAML 设置' },
    fields: {
      AUTH_SAML_NAME: optional(
        label('Name', '名称'),
        64,
        help('Shown on the button of the sign-in page', '显示在登录页面的按钮上'),
      ),
      AUTH_SAML_METADATA_URL: optional(
        label('Provider metadata URL', '身份提供方元数据地址'),
        1024,
        {
          ...help('Refreshed every hour', '每小时重新读取'),
          format: 'url',
          isService: true,
        },
      ),
      AUTH_SAML_METADATA: optional(label('Provider metadata', '身份提供方元数据'), 500_000, {
        ...help(
          'Paste the XML if the provider has no metadata URL',
          '没有元数据地址时，在此粘贴 XML',
        ),
        multiline: true,
      }),
      AUTH_SAML_ENTITY_ID: optional(
        label('Entity ID of this server', '本系统实体 ID'),
        1024,
        help(
          'Leave blank to use the metadata URL of this server: its address followed by /core/auth/saml/metadata/',
          '留空时为本系统元数据地址，即本系统地址加 /core/auth/saml/metadata/',
        ),
      ),
      AUTH_SAML_USER_ATTR_MAP: textMap({
        ...label('Attribute mapping', '用户属性映射'),
        ...help('NameID is the name identifier', 'NameID 表示名称标识符'),
        required: true,
        defaultValue: { username: 'NameID', name: 'displayName', email: 'email' },
      }),
      AUTH_SAML_GROUPS_ATTR: optional(
        label('Attribute with groups', '组属性'),
        256,
        help(
          'Such as groups. Group mappings use its values; blank: groups are not read',
          '例如 groups；供组映射使用，留空则不读取组',
        ),
      ),
      AUTH_SAML_CREATE_USERS: flag(
        label('Create accounts', '自动创建账号'),
        true,
        help('Creates an account at a user’s first sign-in', '用户首次登录时自动创建账号'),
      ),
      AUTH_SAML_IDP_INITIATED: flag(
        label('Accept provider-initiated sign-ins', '接受由身份提供方发起的登录'),
        false,
        help(
          'When on, a link on another site can sign a browser in to another user’s account',
          '启用后，其他网站的链接可能使浏览器登录到他人的账号',
        ),
      ),
      AUTH_SAML_LOGOUT: flag(label('Also sign out at the provider', '同时在身份提供方退出'), true),
      AUTH_SAML: flag(label('Enable SAML sign-in', '启用 SAML 认证'), false),
    },
  },
} as const;
