import { SIGN_IN_SETTINGS } from '../features/features.ts';
import { choice, secret, text } from '../kit/field.ts';
import type { Field } from '../kit/field-kinds.ts';
import type { Fields, Wire } from '../kit/resource.ts';
import type { LocalText } from '../kit/text.ts';
import { ALERT_SETTINGS } from './alerts.ts';
import { BACKUP_SETTINGS } from './backup.ts';
import { flag, help, label, optional } from './kit.ts';
import { NOTICE_SETTINGS } from './notices.ts';
import { SECURITY_SETTINGS } from './security.ts';
import { TERMINAL_SETTINGS } from './terminal.ts';

export { FOREVER_DAYS } from './kit.ts';

/** The site URL of an installation that has none. */
export const DEFAULT_SITE_URL = 'http://localhost:8080';

export interface SettingCategory {
  readonly title: LocalText;
  readonly fields: Fields;
}

const outside = (en: string, zh: string) =>
  optional(label(en, zh), 1024, {
    ...help('Opens in a new window instead of the built-in page', '替代内置页面，在新窗口中打开'),
    format: 'url',
  });

/** Pages of the operator in place of pages of the console; empty: the page of the console. */
const OUTSIDE_PAGES = {
  HELP_DOCS_URL: outside('Documentation URL', '文档 URL'),
  HELP_SUPPORT_URL: outside('Support URL', '支持 URL'),
  HELP_ENTERPRISE_URL: outside('Enterprise edition URL', '企业版 URL'),
  TASK_MONITOR_URL: outside('Task monitor URL', '任务监控 URL'),
};

/**
 * All settings by category that can change at run time. Field defaults are the defaults of
 * settings.
 */
export const SETTING_CATEGORIES = {
  basic: {
    title: { en: 'Basic', zh: '基本设置' },
    fields: {
      SITE_URL: text({
        ...label('Site URL', '站点 URL'),
        ...help('Used for links in mails', '用于邮件中的链接'),
        max: 1024,
        format: 'url',
        defaultValue: DEFAULT_SITE_URL,
        required: true,
      }),
      USER_GUIDE_URL: optional(label('User guide URL', '用户向导 URL'), 1024, {
        ...help('Shown after the first login', '用户首次登录后显示'),
        format: 'url',
      }),
      ...OUTSIDE_PAGES,
      EMAIL_SUBJECT_PREFIX: text({
        ...label('Email subject prefix', '邮件主题前缀'),
        max: 1024,
        defaultValue: '[Sallyport] ',
        required: true,
        keepsBlanks: true,
      }),
      SERVER_LANGUAGE: choice({
        ...label('Server language', '服务器语言'),
        ...help(
          'Used for logs, for names that the server creates, and for answers to requests without a language',
          '用于日志、服务器生成的名称，以及对未指定语言的请求的应答',
        ),
        choices: [
          { value: 'zh', label: { en: 'Chinese', zh: '中文' } },
          { value: 'en', label: { en: 'English', zh: '英文' } },
        ],
        defaultValue: 'zh',
      }),
      SERVER_TIME_ZONE: text({
        ...label('Server time zone', '服务器时区'),
        ...help(
          'For crontabs, daily jobs and backups, and for dates in answers to requests without a time zone. Browsers send their own',
          '用于 crontab、每日任务和备份的时间，以及未指定时区的请求的应答中的日期；浏览器会发送自己的时区',
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
        ...label('SMTP host', 'SMTP 主机'),
        isService: true,
        max: 1024,
        defaultValue: '',
        required: true,
      }),
      EMAIL_PORT: text({
        ...label('SMTP port', 'SMTP 端口'),
        max: 5,
        format: 'port',
        defaultValue: '25',
        required: true,
      }),
      EMAIL_HOST_USER: optional(label('SMTP user', 'SMTP 账号'), 128),
      EMAIL_HOST_PASSWORD: secret({ ...label('SMTP password', 'SMTP 密码'), max: 1024 }),
      EMAIL_FROM: optional(
        label('From address', '发件人'),
        128,
        help('Defaults to the SMTP user', '默认使用 SMTP 账号'),
      ),
      EMAIL_RECIPIENT: optional(
        label('Test recipient', '测试收件人'),
        128,
        help('Used for the test email only', '仅用于测试邮件'),
      ),
      EMAIL_USE_SSL: flag(
        label('Use SSL', '使用 SSL'),
        false,
        help('Usual with port 465', '使用 465 端口时通常需要启用'),
      ),
      EMAIL_USE_TLS: flag(
        label('Use TLS', '使用 TLS'),
        false,
        help('Usual with port 587', '使用 587 端口时通常需要启用'),
      ),
    },
  },
  email_content: {
    title: { en: 'Email content', zh: '邮件内容设置' },
    fields: {
      EMAIL_CUSTOM_USER_CREATED_SUBJECT: optional(
        label('New account email: subject', '创建用户邮件的主题'),
        1024,
        help('Leave blank to use the default text', '留空则使用默认内容'),
      ),
      EMAIL_CUSTOM_USER_CREATED_HONORIFIC: optional(
        label('New account email: greeting', '创建用户邮件的敬语'),
        1024,
      ),
      EMAIL_CUSTOM_USER_CREATED_BODY: optional(
        label('New account email: text', '创建用户邮件的内容'),
        4096,
        { multiline: true },
      ),
      EMAIL_CUSTOM_USER_CREATED_SIGNATURE: optional(label('Signature', '署名'), 512),
    },
  },
  ...NOTICE_SETTINGS,
  ...SIGN_IN_SETTINGS,
  ...TERMINAL_SETTINGS,
  ...SECURITY_SETTINGS,
  ...ALERT_SETTINGS,
  ...BACKUP_SETTINGS,
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
