import type { LocalText } from '../kit/text.ts';

/** Errors of separated duties. */
export const DUTY_ERRORS = {
  duty_denied: {
    en: 'Your account has the duty {duty}, which does not include this.',
    zh: '您的账号职责为{duty}，不包含此操作。',
  },
  duty_system: {
    en: 'A system administrator cannot change roles, duties and user groups. Ask a security administrator.',
    zh: '系统管理员不能修改角色、职责和用户组，请联系安全管理员。',
  },
  duty_account: {
    en: 'A system administrator cannot change accounts that administer or audit. Ask a security administrator.',
    zh: '系统管理员不能修改管理员和审计员的账号，请联系安全管理员。',
  },
  duty_security: {
    en: 'A security administrator changes role, duty, user groups, status and sign-ins of an account only.',
    zh: '安全管理员只能修改账号的角色、职责、用户组、状态和登录会话。',
  },
  duty_no_accounts: {
    en: 'A security administrator cannot create or delete accounts. Ask a system administrator.',
    zh: '安全管理员不能创建或删除账号，请联系系统管理员。',
  },
  duty_role: {
    en: 'This duty needs the role {role}. Without a duty, choose None first.',
    zh: '该职责须使用角色“{role}”。取消职责请先选择“无”。',
  },
  duty_office: {
    en: 'This account is an administrator or auditor of an organization. One account holds one duty only: remove that role first.',
    zh: '该账号是组织的管理员或审计员。一个账号只能承担一项职责，请先移除该组织角色。',
  },
  duty_member: {
    en: '{user} has a duty in the installation. One account holds one duty only.',
    zh: '{user}已承担系统职责，一个账号只能承担一项职责。',
  },
  duty_required: {
    en: 'Duties are separated: an administrator or auditor needs exactly one duty. Only the first administrator can create an account with all rights.',
    zh: '已启用职责分离：管理员和审计员必须且只能承担一项职责。仅首个管理员可以创建拥有全部权限的账号。',
  },
  duty_setting: {
    en: 'This setting belongs to another duty.',
    zh: '该设置属于其他职责。',
  },
  duty_separation: {
    en: 'Only the first administrator can end the separation of duties.',
    zh: '仅首个管理员可以关闭职责分离。',
  },
  duty_local: {
    en: 'A duty needs a local account, because a directory or provider belongs to another duty. Change the sign-in type to Local first.',
    zh: '目录和身份提供方由其他职责管理，承担职责的账号必须是本地账号。请先将登录方式改为本地。',
  },
  duty_factor: {
    en: 'A duty needs an authenticator app as second factor. The user signs in and sets one up, then you give the duty. Passkeys are added again afterwards.',
    zh: '承担职责的账号必须先绑定身份验证器作为双重认证。请用户先登录并完成绑定，再授予职责；通行密钥须在此后重新添加。',
  },
  duty_password: {
    en: 'A duty needs a password that only its holder knows. Another user set this one: the user changes it first, then you give the duty.',
    zh: '承担职责的账号，其密码只能由本人知晓。当前密码由他人设置，请用户先修改密码，再授予职责。',
  },
  duty_mfa_level: {
    en: 'Holders of a duty always prove a second factor.',
    zh: '承担职责的账号必须使用双重认证。',
  },
  duty_no_mail: {
    en: 'Holders of a duty reset no password by mail, because the mail server belongs to another duty. On the server, run: sallyport user reset-password {name}',
    zh: '邮件服务器由其他职责管理，承担职责的账号不能通过邮件重置密码。请在服务器上运行：sallyport user reset-password {name}',
  },
  duty_provider: {
    en: 'Holders of a duty sign in with their local password and second factor only.',
    zh: '承担职责的账号只能使用本地密码和双重认证登录。',
  },
  duty_mapping: {
    en: 'A group of a provider cannot give a role while duties are separated.',
    zh: '职责分离时，身份提供方的组不能授予角色。',
  },
} as const satisfies Record<string, LocalText>;
