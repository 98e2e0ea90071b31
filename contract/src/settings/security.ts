import { boolean, integer } from '../kit/field.ts';
import { KEEP_DAYS } from './keep-days.ts';
import { KEY_LIFETIMES } from './key-lifetimes.ts';
import { FOREVER_DAYS, flag, help, label } from './kit.ts';

/** Settings of accounts, sign-in limits and retention. */
export const SECURITY_SETTINGS = {
  security: {
    title: { en: 'Security', zh: '安全设置' },
    fields: {
      SECURITY_MFA_AUTH: flag(
        label('Second factor', '双重认证'),
        false,
        help(
          'Applies to everyone, including administrators',
          '开启后，所有用户（包括管理员）必须使用双重认证',
        ),
      ),
      SECURITY_SEPARATE_DUTIES: flag(
        label('Separation of duties', '职责分离（三员分立）'),
        false,
        help(
          'New administrators and auditors need exactly one duty: system, security or audit administrator. Only the first administrator can switch it off',
          '新增的管理员和审计员必须且只能承担一项职责：系统管理员、安全管理员或审计管理员；仅首个管理员可以关闭',
        ),
      ),
      LOGIN_CONFIRM_ENABLE: flag(
        label('Sign-in confirmation', '登录复核'),
        false,
        help(
          'Users with reviewers wait at each sign-in until a reviewer confirms it: in the browser, with scripts and over SSH',
          '设置了复核人的用户，每次登录（浏览器、脚本、SSH）须经复核人同意',
        ),
      ),
      REQUEST_ACCESS_SEARCH: flag(
        label('Search in access requests', '申请权限时可搜索'),
        true,
        help(
          'Members find servers and applications of their organizations by name when they request access. When off, they type the name',
          '成员申请权限时可按名称搜索所在组织的服务器和应用；关闭后需自行填写名称',
        ),
      ),
      SECURITY_VIEW_AUTH_NEED_MFA: flag(
        label('Second factor to view secrets', '查看密码需要双重认证'),
        true,
        help(
          'Shows passwords and keys of accounts only after a recent second factor. The operation log records each view',
          '查看账号密码和密钥前需先完成双重认证，每次查看均记入操作日志',
        ),
      ),
      ...KEY_LIFETIMES,
      SECURITY_COMMAND_EXECUTION: flag(
        label('Batch command execution', '批量命令'),
        true,
        help(
          'Users may run a command on many granted assets at once',
          '允许用户在多个已授权资产上批量执行命令',
        ),
      ),
      SECURITY_AGENTS: flag(
        label('Agents', '智能体'),
        true,
        help(
          'Users may let programs work for them over MCP, on a leash. When off, all agents end and no new one is created',
          '允许用户授权程序通过 MCP 代其工作；关闭后结束全部智能体，且不能新建',
        ),
      ),
      SECURITY_SERVICE_ACCOUNT_REGISTRATION: boolean({
        ...label('Service account registration', '终端注册'),
        ...help(
          'New servers of this installation accept sessions immediately. When off, they are added as retired until an administrator activates them under Terminals',
          '新加入的服务器立即接受会话；关闭后新服务器以停用状态加入，需在终端管理中启用',
        ),
        required: true,
        defaultValue: true,
      }),
      SECURITY_LOGIN_LIMIT_COUNT: integer({
        ...label('Failed attempts before lockout', '登录失败次数上限'),
        min: 3,
        max: 99_999,
        defaultValue: 7,
        required: true,
      }),
      SECURITY_LOGIN_LIMIT_TIME: integer({
        ...label('Lockout duration', '登录锁定时长'),
        ...help('Units: minutes', '单位：分'),
        min: 5,
        max: 99_999,
        defaultValue: 30,
        required: true,
      }),
      SECURITY_MAX_IDLE_TIME: integer({
        ...label('Maximum idle time', '连接最大空闲时间'),
        ...help('Units: minutes', '单位：分'),
        min: 1,
        max: 99_999,
        defaultValue: 30,
      }),
      BACKUP_DRILL_DAYS: integer({
        ...label('Restore drill every (days)', '恢复演练间隔（天）'),
        ...help(
          'Restores the newest backup at night into a separate database and verifies it. 0 = only on request',
          '每隔该天数在夜间将最新备份恢复到独立数据库并校验；0 表示仅手动执行',
        ),
        min: 0,
        max: 365,
        defaultValue: 7,
        required: true,
      }),
      SECURITY_SIGN_IN_MAX_DAYS: integer({
        label: { en: 'Maximum sign-in age (days)', zh: '登录最长有效期（天）' },
        help: {
          en: 'Users sign in again after this many days, even if active',
          zh: '登录满该天数后须重新登录（即使一直在使用）',
        },
        min: 1,
        max: 365,
        defaultValue: 7,
      }),
      SECURITY_MAX_SESSION_TIME: integer({
        ...label('Maximum session duration', '会话最长时长'),
        ...help('Units: hours', '单位：小时'),
        min: 1,
        max: 99_999,
        defaultValue: 24,
      }),
      SECURITY_MAX_SESSIONS: integer({
        ...label('Live sessions per user', '每个用户的同时会话数'),
        ...help(
          'Maximum number of terminals that a user may have open at the same time',
          '同一用户可同时打开的会话数量上限',
        ),
        min: 1,
        max: 1000,
        defaultValue: 50,
        required: false,
      }),
      SECURITY_SESSION_OUTAGE_TIME: integer({
        ...label('Keep sessions during a database outage', '数据库不可用时保留会话'),
        ...help(
          'Units: minutes. Permissions cannot be checked during the outage; recording continues. 0 = end sessions immediately',
          '单位：分。期间无法检查授权，录像照常进行。0 表示立即结束会话',
        ),
        min: 0,
        max: 60,
        defaultValue: 2,
        required: false,
      }),
      SECURITY_SESSION_KEEP_TIME: integer({
        ...label('Keep disconnected web terminals', '断线后保留 Web 终端'),
        ...help(
          'Units: minutes. After a reload, a sleeping laptop or a lost network, users return to the same shell. 0 = end it immediately',
          '单位：分。刷新页面、电脑休眠或网络中断后，用户可回到原来的会话。0 表示立即结束',
        ),
        min: 0,
        max: 60,
        defaultValue: 5,
        required: false,
      }),
      SECURITY_PASSWORD_EXPIRATION_TIME: integer({
        ...label('User password expiration', '用户密码有效期'),
        ...help('Units: days', '单位：天'),
        min: 1,
        max: 99_999,
        defaultValue: FOREVER_DAYS,
        required: true,
      }),
      SECURITY_CHANGE_ASSIGNED_PASSWORD: flag(
        label('Require a new password after an administrator sets one', '管理员设置密码后须更换'),
        true,
        {
          ...help(
            'Users choose their own password when they next sign in with a browser',
            '用户下次在浏览器登录时须设置自己的密码',
          ),
        },
      ),
      SECURITY_PASSWORD_MIN_LENGTH: integer({
        ...label('Minimum password length', '密码最小长度'),
        min: 6,
        max: 30,
        defaultValue: 6,
        required: true,
      }),
      SECURITY_PASSWORD_UPPER_CASE: flag(
        label('Must contain uppercase letters', '必须包含大写字母'),
        false,
      ),
      SECURITY_PASSWORD_LOWER_CASE: flag(
        label('Must contain lowercase letters', '必须包含小写字母'),
        false,
      ),
      SECURITY_PASSWORD_NUMBER: flag(label('Must contain digits', '必须包含数字'), false),
      SECURITY_PASSWORD_SPECIAL_CHAR: flag(
        label('Must contain special characters', '必须包含特殊字符'),
        false,
      ),
      SECURITY_PASSWORD_REFUSE_COMMON: flag(
        label('Refuse common passwords', '拒绝常见密码'),
        true,
        help(
          'Refuses the 50,000 most common passwords and texts about the account, also with changed spelling',
          '拒绝最常见的 5 万个密码以及与账号信息相同的密码，包括变形写法',
        ),
      ),
      SECURITY_PASSWORD_HISTORY: integer({
        ...label('Former passwords that are refused', '不可重复使用的历史密码数'),
        ...help(
          'For passwords that users choose themselves. 0 = only the current one is refused',
          '适用于用户自己设置的密码；0 表示仅不能与当前密码相同',
        ),
        min: 0,
        max: 24,
        defaultValue: 3,
        required: true,
      }),
      SECURITY_PLAIN_EVENT_RECEIVERS: flag(
        label('Unencrypted event receivers', '未加密的事件接收端'),
        false,
        help(
          'Allows syslog over TCP and UDP, and webhooks over http',
          '允许通过 TCP、UDP 发送到 Syslog，或通过 http 发送到 Webhook',
        ),
      ),
      SECURITY_ENCRYPT_RECORDINGS: flag(
        label('Encrypt recordings', '加密录像'),
        false,
        help(
          'Encrypts new recordings on disk and in buckets. Without the secret key they can never be replayed: keep a copy of it on another machine',
          '加密磁盘和对象存储中的新录像。丢失密钥后录像无法再播放，请在其他机器上保存密钥副本',
        ),
      ),
      SECURITY_MASK_SECRETS: flag(
        label('Mask secrets in recordings', '遮盖录像中的敏感信息'),
        true,
        help(
          'Shows asterisks instead of passwords, keys and tokens in recordings, command log and screen search, and to watchers and guests, for terminals, commands and databases of new sessions. Users see their own output unchanged. Formats that the server does not know stay readable; originals are not stored',
          '新会话中，终端、命令和数据库输出的密码、密钥和令牌在录像、命令记录、屏幕内容搜索以及监控者和协作者的画面中显示为星号；用户本人的屏幕不变。无法识别的格式不会遮盖；原文不保存',
        ),
      ),
      LOGIN_LOG_KEEP_DAYS: integer({
        ...label('Audit log retention', '审计日志保存时长'),
        ...help('Units: days', '单位：天'),
        min: 30,
        max: 99_999,
        defaultValue: FOREVER_DAYS,
      }),
      ASSET_TEST_PERIODIC: flag(
        label('Test connectivity hourly', '定时测试资产可连接性'),
        false,
        help(
          'Signs in to every active asset with its admin user once an hour',
          '每小时用管理用户登录所有激活的资产',
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
          'Every night, for all system users with auto push',
          '每天夜间推送所有开启自动推送的系统用户',
        ),
      ),
      REMOTE_PARALLEL_HOSTS: integer({
        ...label('Parallel servers per job', '任务并发服务器数'),
        ...help(
          'Maximum number of servers that a job works on at the same time',
          '一个任务同时处理的服务器数量上限',
        ),
        min: 1,
        max: 500,
        defaultValue: 50,
        required: false,
      }),
      COMMAND_EXECUTION_TIMEOUT: integer({
        ...label('Batch command time limit', '批量命令时限'),
        ...help('Units: seconds, per server', '单位：秒，每台服务器'),
        min: 1,
        max: 3_600,
        defaultValue: 60,
        required: false,
      }),
      ...KEEP_DAYS,
    },
  },
} as const;
