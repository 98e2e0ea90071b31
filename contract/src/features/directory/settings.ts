import { integer, secret, text, textMap } from '../../kit/field.ts';
import { flag, help, label, optional } from '../../settings/kit.ts';

/** Settings of the LDAP directory. */
export const SETTINGS = {
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
} as const;
