import type { LocalText } from '../kit/text.ts';

/** Errors of directories, and of accounts whose source refuses them. */
export const SOURCE_ERRORS = {
  source_locked: {
    en: 'This account is locked in the user directory. Try again later, or ask its administrator.',
    zh: '该账号在用户目录中已被锁定，请稍后重试或联系目录管理员。',
  },
  source_disabled: {
    en: 'The user directory has disabled this account. Contact its administrator.',
    zh: '用户目录已禁用该账号，请联系目录管理员。',
  },
  source_expired: {
    en: 'This account has expired in the user directory. Contact its administrator.',
    zh: '该账号在用户目录中已过期，请联系目录管理员。',
  },
  source_password_expired: {
    en: 'Your password has expired in the user directory. Change it there, then sign in with the new one.',
    zh: '您的密码在用户目录中已过期，请先在目录中修改，再用新密码登录。',
  },
  source_wrong_time: {
    en: 'The user directory allows no sign-in of this account at this time.',
    zh: '用户目录不允许该账号在当前时间登录。',
  },
  source_wrong_place: {
    en: 'The user directory allows this account to sign in on certain computers only, and not here. Contact its administrator.',
    zh: '用户目录只允许该账号在指定的计算机上登录，不包括本系统，请联系目录管理员。',
  },
  source_refused: {
    en: 'The user directory refuses this account. Contact an administrator: the log of the server has the reason.',
    zh: '用户目录拒绝该账号登录，请联系管理员，原因见服务器日志。',
  },
  source_must_change: {
    en: 'The user directory demands a new password. Change it there, then sign in with it.',
    zh: '用户目录要求修改密码，请先在目录中修改，再用新密码登录。',
  },
  source_proof_old: {
    en: 'Sign in with your password or at your identity provider first: it has not confirmed this account for too long.',
    zh: '账号来源已太久未确认该账号，请先用密码或通过身份提供方登录一次。',
  },
  source_shut: {
    en: 'The source of this account says that it is disabled, expired or gone. Enable it there, or choose another source.',
    zh: '该账号在其来源处已禁用、过期或删除，请在来源处启用，或更改用户来源。',
  },
  directory_unavailable: {
    en: 'The user directory (LDAP or RADIUS) cannot be reached, so passwords cannot be checked. Try again later, or contact an administrator.',
    zh: '暂时无法连接用户目录（LDAP 或 RADIUS），不能验证密码。请稍后重试，或联系管理员。',
  },
  directory_failed: { en: '{step} failed: {reason}', zh: '{step}失败：{reason}' },
  directory_disabled: {
    en: 'LDAP sign-in is not enabled. Enable it in the settings first.',
    zh: '未启用 LDAP 认证，请先在系统设置中启用。',
  },
  directory_attribute_map: {
    en: 'Enter the map as JSON with username, name and email, such as {"username": "uid", "name": "cn", "email": "mail"}; phone, wechat and comment are optional.',
    zh: '请填写包含 username、name 和 email 的 JSON 映射，例如 {"username": "uid", "name": "cn", "email": "mail"}；还可包含 phone、wechat 和 comment。',
  },
  directory_reading: {
    en: 'Reading the directory: {count, plural, one {# user} other {# users}} so far. Try again shortly.',
    zh: '正在读取用户目录：已读取 {count} 个用户，请稍后再试。',
  },
  directory_not_read: {
    en: 'The directory has not been read yet. Refresh the cache first.',
    zh: '尚未读取用户目录，请先刷新缓存。',
  },
  directory_unknown_person: {
    en: 'The directory has no entry with this name.',
    zh: '用户目录中没有该用户。',
  },
  directory_no_username: {
    en: 'The entry of this user in the directory has no username. Contact an administrator.',
    zh: '该用户的目录条目没有用户名，请联系管理员。',
  },
  directory_username: {
    en: 'The username in the directory cannot be used here: letters, digits and _ @ - . only, no hyphen at the beginning, 128 at most. Ask an administrator to map another attribute.',
    zh: '用户目录中的用户名不能在本系统使用：只能包含字母、数字和 _ @ - . ，不能以连字符开头，最多 128 个字符。请管理员映射其他属性。',
  },
  directory_ambiguous: {
    en: 'The directory lists several users with this name.',
    zh: '用户目录中有多个同名用户。',
  },
  directory_other_source: {
    en: 'An account with this name exists but does not come from the directory.',
    zh: '已存在同名的非目录用户。',
  },
  directory_other_person: {
    en: 'The account with this name belonged to another entry of the directory. Rename or delete it first.',
    zh: '该用户名的账号属于目录中的另一条目，请先重命名或删除该账号。',
  },
  directory_held_changed: {
    en: 'The directory was read again since. Look at the current list first.',
    zh: '目录已重新读取，请先查看最新名单。',
  },
  directory_email_taken: {
    en: 'The email address belongs to another account.',
    zh: '该邮箱已被其他用户使用。',
  },
} as const satisfies Readonly<Record<string, LocalText>>;
