import { choice, integer, secret, text, textMap } from '../kit/field.ts';
import { flag, help, label, optional } from './kit.ts';
import { OPENID_CLIENT_AUTH } from './openid-client-auth.ts';
import { RADIUS_SETTINGS } from './radius.ts';

/** Settings of directories, RADIUS servers and identity providers. */
export const SIGN_IN_SETTINGS = {
  ldap: {
    title: { en: 'LDAP', zh: 'LDAP 设置' },
    fields: {
      AUTH_LDAP_SERVER_URI: text({
        ...label('LDAP server', 'LDAP 地址'),
        isService: true,
        max: 1024,
        defaultValue: 'ldap://localhost:389',
        required: true,
      }),
      AUTH_LDAP_START_TLS: flag(label('Use StartTLS', '使用 StartTLS'), false),
      AUTH_LDAP_BIND_DN: optional(label('Bind DN', '绑定 DN'), 1024),
      AUTH_LDAP_BIND_PASSWORD: secret({ ...label('Password', '密码'), max: 1024 }),
      AUTH_LDAP_SEARCH_OU: optional(
        label('User OU', '用户 OU'),
        1024,
        help('Separate several OUs with |', '多个 OU 用 | 分隔'),
      ),
      AUTH_LDAP_SEARCH_FILTER: text({
        ...label('User search filter', '用户过滤器'),
        ...help('For example (cn=%(user)s)', '例如 (cn=%(user)s)'),
        max: 1024,
        defaultValue: '(cn=%(user)s)',
        required: true,
      }),
      AUTH_LDAP_USER_ATTR_MAP: textMap({
        ...label('Attribute mapping', 'LDAP 属性映射'),
        required: true,
        defaultValue: { username: 'cn', name: 'sn', email: 'mail' },
      }),
      AUTH_LDAP_GROUPS_ATTR: optional(
        label('Attribute with groups', '组属性'),
        128,
        help(
          'Such as memberOf. Group mappings use its values; blank: groups are not read',
          '例如 memberOf；供组映射使用，留空则不读取组',
        ),
      ),
      AUTH_LDAP_NESTED_GROUPS: flag(
        label('Groups of groups', '包含上级组'),
        false,
        help(
          'Adds the groups that contain a group of the user, and the primary group of Active Directory',
          '加上包含用户所在组的上级组，以及 Active Directory 的主要组',
        ),
      ),
      AUTH_LDAP: flag(label('Enable LDAP sign-in', '启用 LDAP 认证'), false),
      AUTH_LDAP_READ_MINUTES: integer({
        ...label('Read the directory every (minutes)', '读取目录的间隔（分钟）'),
        ...help(
          'Ends the access of users who are disabled, expired or gone in the directory, while LDAP is enabled',
          '启用 LDAP 认证后，按此间隔终止目录中已禁用、过期或删除的用户的访问',
        ),
        min: 1,
        max: 1_440,
        defaultValue: 15,
        required: false,
      }),
      AUTH_LDAP_SYNC_IS_PERIODIC: flag(
        label('Periodic sync', '定时同步'),
        false,
        help(
          'Imports all directory users on a schedule while LDAP is enabled',
          '启用 LDAP 认证后，定时将目录中的所有用户同步到本系统',
        ),
      ),
      AUTH_LDAP_SYNC_INTERVAL: integer({
        ...label('Interval', '同步间隔'),
        ...help('Units: hours', '单位：小时'),
        min: 1,
        max: 99_999,
        defaultValue: 12,
        required: false,
      }),
      AUTH_LDAP_SYNC_CRONTAB: optional(label('Crontab', '定时规则'), 128, {
        ...help(
          'Five fields: minute, hour, day, month, weekday, in server time. Overrides the interval',
          '五个字段：分 时 日 月 周，按服务器时间执行；设置后间隔不生效',
        ),
        format: 'crontab',
      }),
    },
  },
  ...RADIUS_SETTINGS,
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
