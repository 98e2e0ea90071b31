import { boolean, integer } from '../kit/field.ts';
import { flag, help, label } from './kit.ts';

/** Settings of accounts, sign-in limits and retention. */
export const SECURITY_SETTINGS = {
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
} as const;
