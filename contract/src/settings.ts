import { boolean, choice, integer, secret, text } from './kit/field.ts';
import type { Field } from './kit/field-kinds.ts';
import type { Fields, Wire } from './kit/resource.ts';
import type { LocalText } from './kit/text.ts';
import { flag, help, label, optional } from './settings/kit.ts';
import { SIGN_IN_SETTINGS } from './settings/sign-in.ts';

export interface SettingCategory {
  readonly title: LocalText;
  readonly fields: Fields;
}

/**
 * All settings by category that can change at run time. Field defaults are the defaults of
 * settings.
 */
export const SETTING_CATEGORIES = {
  basic: {
    title: { en: 'Basic', zh: '基本设置' },
    fields: {
      SITE_URL: text({
        ...label('Current SITE URL', '当前站点URL'),
        ...help('Used for links in mails', '用于邮件中的链接'),
        max: 1024,
        format: 'url',
        defaultValue: 'http://localhost:8080',
        required: true,
      }),
      USER_GUIDE_URL: optional(label('User Guide URL', '用户向导URL'), 1024, {
        ...help('Shown after the first login', '用户首次登录后显示'),
        format: 'url',
      }),
      EMAIL_SUBJECT_PREFIX: text({
        ...label('Email Subject Prefix', '邮件主题前缀'),
        max: 1024,
        defaultValue: '[Sallyport] ',
        required: true,
        keepsBlanks: true,
      }),
      SERVER_LANGUAGE: choice({
        ...label('Language of the server', '服务器语言'),
        ...help(
          'The language of logs, of the names that the server makes itself, and of answers to requests that name no language',
          '用于日志、服务器自行生成的名称，以及未指定语言的请求的应答',
        ),
        choices: [
          { value: 'zh', label: { en: 'Chinese', zh: '中文' } },
          { value: 'en', label: { en: 'English', zh: '英文' } },
        ],
        defaultValue: 'zh',
      }),
      SERVER_TIME_ZONE: text({
        ...label('Time zone of the server', '服务器时区'),
        ...help(
          'Of dates in answers to requests that name no time zone. Browsers name their own',
          '用于未指定时区的请求的应答中的日期；浏览器会指定自己的时区',
        ),
        max: 64,
        format: 'timeZone',
        defaultValue: 'Asia/Shanghai',
        required: false,
      }),
    },
  },
  email: {
    title: { en: 'Email', zh: '邮件设置' },
    fields: {
      EMAIL_HOST: text({
        ...label('SMTP host', 'SMTP主机'),
        max: 1024,
        defaultValue: '',
        required: true,
      }),
      EMAIL_PORT: text({
        ...label('SMTP port', 'SMTP端口'),
        max: 5,
        format: 'port',
        defaultValue: '25',
        required: true,
      }),
      EMAIL_HOST_USER: optional(label('SMTP user', 'SMTP账号'), 128),
      EMAIL_HOST_PASSWORD: secret({ ...label('SMTP password', 'SMTP密码'), max: 1024 }),
      EMAIL_FROM: optional(
        label('From address', '发件人'),
        128,
        help('Defaults to the SMTP user', '发送邮件的账号，默认使用SMTP账号发送'),
      ),
      EMAIL_RECIPIENT: optional(
        label('Test recipient', '测试收件人'),
        128,
        help('Used for the test email only', '仅用于测试邮件'),
      ),
      EMAIL_USE_SSL: flag(
        label('Use SSL', '使用SSL'),
        false,
        help('Usual with port 465', '如果SMTP端口是465，通常需要启用SSL'),
      ),
      EMAIL_USE_TLS: flag(
        label('Use TLS', '使用TLS'),
        false,
        help('Usual with port 587', '如果SMTP端口是587，通常需要启用TLS'),
      ),
    },
  },
  email_content: {
    title: { en: 'Email content', zh: '邮件内容设置' },
    fields: {
      EMAIL_CUSTOM_USER_CREATED_SUBJECT: optional(
        label('Create user email subject', '创建用户邮件的主题'),
        1024,
        help('Leave blank to use the default text', '留空则使用默认内容'),
      ),
      EMAIL_CUSTOM_USER_CREATED_HONORIFIC: optional(
        label('Create user honorific', '创建用户邮件的敬语'),
        1024,
      ),
      EMAIL_CUSTOM_USER_CREATED_BODY: optional(
        label('Create user email content', '创建用户邮件的内容'),
        4096,
        { multiline: true },
      ),
      EMAIL_CUSTOM_USER_CREATED_SIGNATURE: optional(label('Signature', '署名'), 512),
    },
  },
  ...SIGN_IN_SETTINGS,
  terminal: {
    title: { en: 'Terminal', zh: '终端设置' },
    fields: {
      TERMINAL_PASSWORD_AUTH: flag(
        label('Password auth', '密码认证'),
        true,
        help('Signing in by password at the SSH port', '允许使用密码登录SSH端口'),
      ),
      TERMINAL_PUBLIC_KEY_AUTH: flag(
        label('Public key auth', '密钥认证'),
        true,
        help(
          'People may keep an SSH key in their profile and sign in with it at the SSH port',
          '允许用户在个人信息中保存SSH公钥，并使用密钥登录SSH端口',
        ),
      ),
      TERMINAL_SSH_OLD_CLIENTS: flag(
        label('Old SSH clients', '兼容旧版SSH客户端'),
        false,
        help(
          'Clients that know nothing newer may use SHA-1 and CBC at the SSH port. Newer ones are not affected',
          '允许不支持新算法的客户端在SSH端口使用 SHA-1 和 CBC；不影响较新的客户端',
        ),
      ),
      TERMINAL_HEARTBEAT_INTERVAL: integer({
        ...label('Heartbeat interval', '心跳间隔'),
        ...help(
          'Units: seconds. How often each server says that it is alive; without one for three intervals, and at least a minute, it counts as gone',
          '单位：秒。每台服务器报告在线的间隔；超过三个间隔（至少一分钟）没有心跳即视为离线',
        ),
        min: 5,
        max: 99_999,
        defaultValue: 20,
        required: true,
      }),
      TERMINAL_ASSET_LIST_SORT_BY: choice({
        ...label('List sort by', '资产列表排序'),
        ...help('The order of the assets that people are granted', '用户被授权资产的排列顺序'),
        choices: [
          { value: 'hostname', label: { en: 'Hostname', zh: '主机名' } },
          { value: 'ip', label: { en: 'IP', zh: 'IP' } },
        ],
        defaultValue: 'hostname',
      }),
      PERM_SINGLE_ASSET_TO_UNGROUP_NODE: flag(
        label('Ungrouped assets', '未分组资产'),
        false,
        help(
          'Assets that permissions name themselves, and not by a node, are shown to people in the node Ungrouped in place of their own nodes',
          '授权规则直接指定（而非通过节点授权）的资产，对用户显示在“未分组”节点中，而不是其所在节点中',
        ),
      ),
      TERMINAL_ASSET_LIST_PAGE_SIZE: choice({
        ...label('List page size', '资产列表每页数量'),
        ...help(
          'Rows per page of My assets. Auto: 15; all: up to 999',
          '“我的资产”默认每页条数。自动为15条，全部最多999条',
        ),
        choices: ['all', 'auto', '10', '15', '25', '50'].map((value) => ({
          value,
          label: {
            en: value === 'all' ? 'All' : value === 'auto' ? 'Auto' : value,
            zh: value === 'all' ? '全部' : value === 'auto' ? '自动' : value,
          },
        })),
        defaultValue: 'auto',
      }),
      TERMINAL_SESSION_KEEP_DURATION: integer({
        ...label('Session keep duration', '会话日志保存时间'),
        ...help(
          'Units: days. Older sessions are removed with their commands and recordings. 9999: practically forever',
          '单位：天。会话、录像、命令记录超过该时长将会被删除。9999 相当于永久保存',
        ),
        min: 1,
        max: 99_999,
        defaultValue: 9999,
        required: true,
      }),
      TERMINAL_RECORDING_MAX_SIZE: integer({
        ...label('Largest recording', '单个录像的最大大小'),
        ...help(
          'Units: MiB, before it is compressed; a session that printed more ends',
          '单位：MiB（压缩前）。输出超过该大小的会话将结束',
        ),
        min: 16,
        max: 1_000_000,
        defaultValue: 4096,
        required: false,
      }),
      TERMINAL_RECORDING_MAX_RATE: integer({
        ...label('Fastest recording', '录像的最大速率'),
        ...help(
          'Units: MiB a second in the long run; the first 512 MiB of a session are not slowed',
          '单位：MiB/秒（长期平均）。每个会话最初的 512 MiB 不受限制',
        ),
        min: 1,
        max: 10_000,
        defaultValue: 16,
        required: false,
      }),
      TERMINAL_STOP_WAIT: integer({
        ...label('A stopping server waits for its sessions', '服务器停止时等待会话结束'),
        ...help(
          'Units: minutes. It takes no new sessions meanwhile. 0 ends them at once',
          '单位：分。等待期间不再接受新会话。0 表示立即结束会话',
        ),
        min: 0,
        max: 1440,
        defaultValue: 0,
        required: false,
      }),
      TERMINAL_CANARY_MINUTES: integer({
        ...label('Try out each server', '服务器自检'),
        ...help(
          'Units: minutes. So often each server opens, records and replays a session of its own, and reports what does not work. 0 switches it off',
          '单位：分。每台服务器按此间隔打开、录制并回放一个自己的会话，并报告异常。0 表示关闭',
        ),
        min: 0,
        max: 1440,
        defaultValue: 0,
        required: false,
      }),
      TERMINAL_SESSION_INVITATIONS: flag(
        label('Invitations into sessions', '邀请他人加入会话'),
        false,
        {
          ...help(
            'Users of the web terminal may invite colleagues, who have the same access themselves, to watch or to type. Off ends the visits of all guests',
            'Web 终端的用户可以邀请拥有相同授权的同事观看或输入。关闭后所有访客立即退出',
          ),
        },
      ),
      TERMINAL_RECORDING_KEYS: flag(label('Record the keys of desktops', '记录桌面按键'), false, {
        ...help(
          'Recordings of RDP and VNC sessions keep each key that is pressed, so also passwords and private texts that users type at the desktop. Users see a notice. It holds for sessions that begin from now on; the law or your works agreement may forbid it',
          'RDP 和 VNC 会话的录像会保存每次按键，包括用户在桌面上输入的密码和私人内容。用户会看到提示。仅对之后开始的会话生效；法律或内部规定可能禁止此类记录',
        ),
      }),
      TERMINAL_RECORDING_DISK_RESERVE: integer({
        ...label('Disk reserve', '磁盘预留空间'),
        ...help(
          'Units: MiB. With less free space for recordings sessions end, the largest first, and no new one begins',
          '单位：MiB。录像所在磁盘的可用空间低于该值时，会话按录像大小依次结束，且不能打开新会话',
        ),
        min: 16,
        max: 1_000_000,
        defaultValue: 512,
        required: false,
      }),
      TERMINAL_TELNET_REGEX: optional(
        label('Telnet login regex', 'Telnet 成功正则表达式'),
        1024,
        help(
          'Found in the output after the password when the sign-in succeeded (RE2 syntax). Blank: the usual signs, such as a prompt with # or >',
          '密码提交后的输出中匹配该表达式即为登录成功（RE2 语法）。留空时按常见标志判断，例如 # 或 > 提示符',
        ),
      ),
    },
  },
  security: {
    title: { en: 'Security', zh: '安全设置' },
    fields: {
      SECURITY_MFA_AUTH: flag(
        label('MFA', '双重认证'),
        false,
        help(
          'Applies to everyone, including administrators',
          '开启后，所有用户包括管理员必须使用双重认证',
        ),
      ),
      LOGIN_CONFIRM_ENABLE: flag(
        label('Login confirm', '登录复核'),
        false,
        help(
          'Users whose page names reviewers wait at each sign-in until one of them agrees: in the browser, with scripts and over SSH',
          '用户详情中设置了复核人的用户，每次登录（浏览器、脚本、SSH）须经复核人同意',
        ),
      ),
      SECURITY_VIEW_AUTH_NEED_MFA: flag(
        label('Second factor to view secrets', '查看密码需要双重认证'),
        true,
        help(
          'Passwords and keys of accounts are shown after a fresh second factor only. Each view is in the operation log',
          '查看账号密码和密钥前需先完成双重认证，每次查看均记入操作日志',
        ),
      ),
      SECURITY_ACCESS_KEY_MAX_DAYS: integer({
        ...label('API keys end after (days)', 'API Key 有效期（天）'),
        ...help(
          'A new API key ends after so many days at the latest. 0: keys may have no end',
          '新建的 API Key 最长有效天数。0：允许永久有效',
        ),
        min: 0,
        max: 3_650,
        defaultValue: 90,
        required: true,
      }),
      SECURITY_COMMAND_EXECUTION: flag(
        label('Batch command execution', '批量命令'),
        true,
        help(
          'Allow users to run a command on many of the assets that they are granted',
          '允许用户在多个已授权资产上批量执行命令',
        ),
      ),
      SECURITY_SERVICE_ACCOUNT_REGISTRATION: boolean({
        ...label('Service account registration', '终端注册'),
        ...help(
          'A new server of this installation accepts sessions at once. When off, it is added as retired, until somebody activates it under Terminals',
          '新加入的服务器立即接受会话；关闭后新服务器以停用状态加入，需在终端管理中启用',
        ),
        required: true,
        defaultValue: true,
      }),
      SECURITY_LOGIN_LIMIT_COUNT: integer({
        ...label('Failed attempts before lockout', '限制登录失败次数'),
        min: 3,
        max: 99_999,
        defaultValue: 7,
        required: true,
      }),
      SECURITY_LOGIN_LIMIT_TIME: integer({
        ...label('Lockout duration', '禁止登录时间间隔'),
        ...help('Units: minutes', '单位：分'),
        min: 5,
        max: 99_999,
        defaultValue: 30,
        required: true,
      }),
      SECURITY_MAX_IDLE_TIME: integer({
        ...label('Connection max idle time', 'SSH最大空闲时间'),
        ...help('Units: minutes', '单位：分'),
        min: 1,
        max: 99_999,
        defaultValue: 30,
      }),
      SECURITY_SIGN_IN_MAX_DAYS: integer({
        label: { en: 'Sign-in lasts at most (days)', zh: '登录最长有效期（天）' },
        help: {
          en: 'A browser has to sign in again after so many days, however much it is used',
          zh: '浏览器登录超过该天数后，无论是否使用都需要重新登录',
        },
        min: 1,
        max: 365,
        defaultValue: 7,
      }),
      SECURITY_MAX_SESSION_TIME: integer({
        ...label('Session max duration', '会话最长时间'),
        ...help('Units: hours', '单位：小时'),
        min: 1,
        max: 99_999,
        defaultValue: 24,
      }),
      SECURITY_MAX_SESSIONS: integer({
        ...label('Live sessions per person', '每人同时会话数'),
        ...help(
          'Terminals that one person may have open at a time',
          '同一用户可同时打开的会话数量',
        ),
        min: 1,
        max: 1000,
        defaultValue: 50,
        required: false,
      }),
      SECURITY_SESSION_OUTAGE_TIME: integer({
        ...label('Sessions continue without the database', '数据库不可用时会话可继续'),
        ...help(
          'Units: minutes. While the database does not answer, permissions cannot be checked. Recording continues. 0 ends sessions at once',
          '单位：分。数据库无响应期间无法检查授权，录像照常进行。0 表示立即结束会话',
        ),
        min: 0,
        max: 60,
        defaultValue: 2,
        required: false,
      }),
      SECURITY_SESSION_KEEP_TIME: integer({
        ...label('Keep web terminals without a connection', '断线后保留Web终端'),
        ...help(
          'Units: minutes. After a reload, a sleeping laptop or a lost network, users find the same shell again. 0 ends it at once',
          '单位：分。刷新页面、电脑休眠或网络中断后，用户可回到原来的会话。0 表示立即结束',
        ),
        min: 0,
        max: 60,
        defaultValue: 5,
        required: false,
      }),
      SECURITY_PASSWORD_EXPIRATION_TIME: integer({
        ...label('User password expiration', '用户密码过期时间'),
        ...help('Units: days', '单位：天'),
        min: 1,
        max: 99_999,
        defaultValue: 9999,
        required: true,
      }),
      SECURITY_CHANGE_ASSIGNED_PASSWORD: flag(
        label('Ask for a new password after an administrator set one', '管理员设置密码后须更换'),
        true,
        {
          ...help(
            'Users choose their own password when they next sign in with a browser',
            '用户下次在浏览器登录时须设置自己的密码',
          ),
        },
      ),
      SECURITY_PASSWORD_MIN_LENGTH: integer({
        ...label('Password minimum length', '密码最小长度'),
        min: 6,
        max: 30,
        defaultValue: 6,
        required: true,
      }),
      SECURITY_PASSWORD_UPPER_CASE: flag(
        label('Must contain capital letters', '必须包含大写字符'),
        false,
      ),
      SECURITY_PASSWORD_LOWER_CASE: flag(
        label('Must contain lowercase letters', '必须包含小写字符'),
        false,
      ),
      SECURITY_PASSWORD_NUMBER: flag(
        label('Must contain numeric characters', '必须包含数字'),
        false,
      ),
      SECURITY_PASSWORD_SPECIAL_CHAR: flag(
        label('Must contain special characters', '必须包含特殊字符'),
        false,
      ),
      SECURITY_PLAIN_EVENT_RECEIVERS: flag(
        label('Unencrypted event receivers', '未加密的事件接收端'),
        false,
        help(
          'Events may be sent to syslog over TCP and UDP, and to webhooks over http',
          '允许通过 TCP、UDP 发送到 Syslog，或通过 http 发送到 Webhook',
        ),
      ),
      LOGIN_LOG_KEEP_DAYS: integer({
        ...label('Audit log retention', '审计日志保存时间'),
        ...help('Units: days', '单位：天'),
        min: 30,
        max: 99_999,
        defaultValue: 9999,
      }),
      ASSET_TEST_PERIODIC: flag(
        label('Test connectivity hourly', '定时测试资产可连接性'),
        false,
        help(
          'Signs in to every active asset with its admin user once an hour',
          '每小时使用管理用户登录所有激活的资产一次',
        ),
      ),
      ASSET_TEST_NEW: flag(
        label('Test new assets', '测试新资产'),
        false,
        help(
          'Tests the connection of each asset as soon as it is created',
          '资产创建后立即测试可连接性',
        ),
      ),
      SYSTEM_USER_PUSH_DAILY: flag(
        label('Push system users daily', '每天推送系统用户'),
        false,
        help(
          'Every night, for all accounts that have auto push',
          '每天夜间推送所有开启自动推送的系统用户',
        ),
      ),
      REMOTE_PARALLEL_HOSTS: integer({
        ...label('Servers at the same time', '同时处理的服务器数'),
        ...help('How many servers a job works on at the same time', '批量任务同时处理的服务器数量'),
        min: 1,
        max: 500,
        defaultValue: 50,
        required: false,
      }),
      COMMAND_EXECUTION_TIMEOUT: integer({
        ...label('Time limit of a batch command', '批量命令时限'),
        ...help('On each server; units: seconds', '每台服务器；单位：秒'),
        min: 1,
        max: 3_600,
        defaultValue: 60,
        required: false,
      }),
      JOB_KEEP_DAYS: integer({
        ...label('Job retention', '任务记录保存时间'),
        ...help('Units: days', '单位：天'),
        min: 1,
        max: 99_999,
        defaultValue: 30,
      }),
    },
  },
} as const satisfies Record<string, SettingCategory>;

export type SettingCategoryName = keyof typeof SETTING_CATEGORIES;

type FieldsOf<C> = C extends { readonly fields: infer F }
  ? { readonly [K in keyof F]: Wire<F[K]> }
  : never;
type Union = FieldsOf<(typeof SETTING_CATEGORIES)[SettingCategoryName]>;
type Merge<U> = (U extends unknown ? (part: U) => void : never) extends (whole: infer W) => void
  ? W
  : never;

/** Value types of settings by key. */
export type Settings = Merge<Union>;

/** Declarations of settings by key. */
export const SETTING_FIELDS: ReadonlyMap<string, Field> = new Map(
  Object.values(SETTING_CATEGORIES).flatMap(({ fields }) => Object.entries<Field>(fields)),
);
