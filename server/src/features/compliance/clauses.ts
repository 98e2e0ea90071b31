import type { LocalText } from '@sallyport/contract';
import type { Clause } from './clause.ts';
import { DATA, MANAGEMENT } from './clauses-of-data.ts';
import { anyText, atLeast, atMost, capped, fromChoice, off, on } from './wishes.ts';

/** Text before sign-in for an installation that has none. */
export const SIGN_IN_NOTICE: LocalText = {
  en: 'Authorized users only. Sessions are recorded and audited.',
  zh: '仅限授权用户使用。所有会话均被记录和审计。',
};

/** The clauses of identities and access. */
const ACCESS: readonly Clause[] = [
  {
    reference: '8.1.4.1 a',
    title: {
      en: 'Each user is identified; passwords are strong and renewed',
      zh: '用户身份唯一，口令满足复杂度并定期更换',
    },
    wishes: [
      atLeast('SECURITY_PASSWORD_MIN_LENGTH', { team: 10, company: 12, mlps3: 12 }),
      on('SECURITY_PASSWORD_REFUSE_COMMON', 'team'),
      on('SECURITY_CHANGE_ASSIGNED_PASSWORD', 'team'),
      atLeast('SECURITY_PASSWORD_HISTORY', { team: 3, company: 5, mlps3: 5 }),
      on('SECURITY_PASSWORD_UPPER_CASE', 'mlps3'),
      on('SECURITY_PASSWORD_LOWER_CASE', 'mlps3'),
      on('SECURITY_PASSWORD_NUMBER', 'mlps3'),
      on('SECURITY_PASSWORD_SPECIAL_CHAR', 'mlps3'),
      atMost('SECURITY_PASSWORD_EXPIRATION_TIME', { mlps3: 90 }, 'days'),
    ],
    builtIn: { en: 'User names are unique in the installation.', zh: '用户名在系统内唯一。' },
    organization: {
      en: 'Give each person an account; enforce the rules of passwords at LDAP, OpenID, SAML, CAS and RADIUS as well.',
      zh: '一人一账号；LDAP、OpenID、SAML、CAS、RADIUS 的口令策略在其自身系统中落实。',
    },
  },
  {
    reference: '8.1.4.1 b',
    title: { en: 'Failed sign-ins lock, idle connections end', zh: '登录失败处理与超时退出' },
    wishes: [
      atMost('SECURITY_LOGIN_LIMIT_COUNT', { team: 7, company: 5, mlps3: 5 }),
      atLeast('SECURITY_LOGIN_LIMIT_TIME', { team: 30, company: 30, mlps3: 30 }, 'minutes'),
      atMost('SECURITY_MAX_IDLE_TIME', { team: 30, company: 15, mlps3: 10 }, 'minutes'),
      atMost('SECURITY_SIGN_IN_MAX_DAYS', { team: 7, company: 1, mlps3: 1 }, 'days'),
      atMost('SECURITY_MAX_SESSION_TIME', { company: 12, mlps3: 12 }, 'hours'),
    ],
  },
  {
    reference: '8.1.4.1 c',
    title: { en: 'Remote administration is protected against eavesdropping', zh: '远程管理防窃听' },
    wishes: [off('TERMINAL_SSH_OLD_CLIENTS', 'team')],
    facts: ['https'],
    organization: {
      en: 'Install a certificate at the proxy in front of the console, and forbid Telnet and plain VNC targets where possible.',
      zh: '在控制台前的代理上配置证书；尽量停用 Telnet 和未加密的 VNC 资产。',
    },
  },
  {
    reference: '8.1.4.1 d',
    title: {
      en: 'Two kinds of proof at sign-in, one of them cryptographic',
      zh: '双重认证，其一使用密码技术',
    },
    wishes: [on('SECURITY_MFA_AUTH', 'company'), on('SECURITY_VIEW_AUTH_NEED_MFA', 'team')],
    facts: ['second_factors'],
    organization: {
      en: 'Assessors may require products with a commercial-cryptography certificate for the second factor.',
      zh: '测评机构可能要求第二因素使用取得商用密码认证的产品。',
    },
  },
  {
    reference: '8.1.4.2 a',
    title: { en: 'Accounts and rights are assigned to users', zh: '为用户分配账号和权限' },
    builtIn: {
      en: 'Access to an asset needs a permission; without one it is denied.',
      zh: '访问资产须有授权，默认拒绝。',
    },
    organization: {
      en: 'Decide who may use which assets, and review the permissions regularly.',
      zh: '确定人员与资产的授权关系，并定期复核。',
    },
  },
  {
    reference: '8.1.4.2 b',
    title: { en: 'Default accounts have no default password', zh: '默认账号不使用默认口令' },
    facts: ['first_password'],
    builtIn: {
      en: 'The first start generates a random password; no default password exists.',
      zh: '首次启动生成随机口令，不存在默认口令。',
    },
  },
  {
    reference: '8.1.4.2 c',
    title: { en: 'Unused and expired accounts are removed or disabled', zh: '清理多余和过期账号' },
    wishes: [capped('SECURITY_ACCESS_KEY_MAX_DAYS', { team: 365, company: 90, mlps3: 90 }, 'days')],
    facts: ['idle_accounts'],
    organization: { en: 'Forbid shared accounts.', zh: '禁止多人共用账号。' },
  },
  {
    reference: '8.1.4.2 d',
    title: {
      en: 'Administrators have the least rights, and their duties are separated',
      zh: '管理用户最小权限与权限分离',
    },
    wishes: [on('SECURITY_SEPARATE_DUTIES', 'mlps3')],
    facts: ['duties', 'duty_system', 'duty_security', 'duty_audit', 'several_duties', 'sealed'],
    organization: {
      en: 'Appoint different persons for system, security and audit administration.',
      zh: '由不同人员担任系统、安全和审计管理员。',
    },
  },
  {
    reference: '8.1.4.2 f',
    title: { en: 'Access is controlled per user and per object', zh: '访问控制粒度到用户与客体' },
    builtIn: {
      en: 'Permissions name users, assets, accounts and actions; command filters decide on single commands and statements.',
      zh: '授权细化到用户、资产、账号和动作，命令过滤细化到单条命令和语句。',
    },
  },
];

/** The clauses of audits. */
const RECORDS: readonly Clause[] = [
  {
    reference: '8.1.4.3 a',
    title: {
      en: 'Important actions and events of each user are audited',
      zh: '审计覆盖到每个用户的重要行为',
    },
    wishes: [
      anyText('SIGN_IN_NOTICE', { company: '', mlps3: '' }),
      on('SIGN_IN_NOTICE_ACCEPT', 'mlps3'),
      fromChoice('WATERMARK', { company: 'light', mlps3: 'medium' }),
    ],
    facts: ['recorded'],
  },
  {
    reference: '8.1.4.3 b',
    title: {
      en: 'Records name date, user, kind and result of an event',
      zh: '审计记录包含时间、用户、类型和结果',
    },
    builtIn: {
      en: 'The fields of all logs are described in the API description.',
      zh: '所有日志均含上述字段，见接口说明。',
    },
    organization: {
      en: 'Keep the clocks of all machines synchronized.',
      zh: '保持所有机器时钟同步。',
    },
  },
  {
    reference: '8.1.4.3 c',
    title: {
      en: 'Records are protected, backed up and kept for half a year',
      zh: '审计记录受保护、定期备份并留存半年',
    },
    wishes: [
      atLeast('LOGIN_LOG_KEEP_DAYS', { team: 90, company: 180, mlps3: 180 }, 'days'),
      atLeast('TERMINAL_SESSION_KEEP_DURATION', { team: 30, company: 180, mlps3: 180 }, 'days'),
    ],
    facts: ['chains', 'witness'],
    builtIn: {
      en: 'Removal by retention leaves a line in the chained operate log: log, rows, period and digests.',
      zh: '到期清理会在带摘要链的操作日志中留下记录：日志、行数、时间段和摘要。',
    },
  },
  {
    reference: '8.1.4.3 d',
    title: { en: 'The audit cannot be interrupted', zh: '审计进程不被中断' },
    builtIn: {
      en: 'A session ends when its recording cannot be written; no setting turns the logs off.',
      zh: '录像无法写入时会话即结束；没有可关闭日志的设置。',
    },
    organization: {
      en: 'Restrict root on the servers of the bastion.',
      zh: '限制堡垒机服务器的 root 权限。',
    },
  },
];

export const CLAUSES: readonly Clause[] = [...ACCESS, ...RECORDS, ...DATA, ...MANAGEMENT];
