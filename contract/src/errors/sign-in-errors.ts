import type { LocalText } from '../kit/text.ts';

/** Errors of sign-in, directories and identity providers. */
export const SIGN_IN_ERRORS = {
  password_failed: {
    en: 'The username or password you entered is incorrect. You have {times, plural, one {# more attempt} other {# more attempts}} before the account is locked for {minutes, plural, one {# minute} other {# minutes}}.',
    zh: '您输入的用户名或密码不正确，还可以尝试 {times} 次，之后账号将被锁定 {minutes} 分钟。',
  },
  block_login: {
    en: 'The account has been locked. Contact an administrator to unlock it, or try again after {minutes, plural, one {# minute} other {# minutes}}.',
    zh: '账号已被锁定，请联系管理员解锁，或在 {minutes} 分钟后重试。',
  },
  block_address: {
    en: 'Too many failed sign-ins with several names came from your address. Contact an administrator to reset the address, or try again after {minutes, plural, one {# minute} other {# minutes}}. The account itself is not locked.',
    zh: '您所在的地址使用多个用户名登录失败次数过多，账号本身未被锁定。请联系管理员解除该地址的限制，或在 {minutes} 分钟后重试。',
  },
  user_inactive: { en: 'This account is disabled or expired.', zh: '该账号已被禁用或已过期。' },
  sign_in_condition: {
    en: 'You cannot sign in at the moment: {reason}',
    zh: '当前无法登录：{reason}',
  },
  sign_in_rule_nobody: {
    en: 'Choose users, groups or roles, or everyone.',
    zh: '请选择用户、用户组或角色，或适用于所有用户。',
  },
  sign_in_rule_own: {
    en: 'The rule “{name}” would refuse your own sign-in: {reason}',
    zh: '规则“{name}”会使您自己无法登录：{reason}',
  },
  password_expired: { en: 'The password has expired.', zh: '密码已过期。' },
  mfa_failed: { en: 'The code is incorrect or was already used.', zh: '验证码不正确或已被使用。' },
  mfa_required: { en: 'A second factor is required.', zh: '需要进行双重认证。' },
  mfa_unset: {
    en: 'A second factor is required and none is set up. Sign in with a browser to set one up.',
    zh: '需要双重认证但尚未设置，请使用浏览器登录并完成设置。',
  },
  mfa_blocked: {
    en: 'Verification failed, please Login again. Too many wrong codes: try again after {minutes, plural, one {# minute} other {# minutes}}.',
    zh: '验证失败，请重新登录。验证码错误次数过多，请 {minutes} 分钟后重试。',
  },
  mfa_verify_required: { en: 'Confirm with your second factor first.', zh: '请先完成双重认证。' },
  mfa_forced: {
    en: 'This account must have a second factor. Add another one before you remove the last.',
    zh: '该账号必须使用双重认证，请先添加其他认证方式再移除。',
  },
  mfa_remove_first: {
    en: 'Remove your authenticator and passkeys first.',
    zh: '请先解除绑定身份验证器和通行密钥。',
  },
  mfa_not_enrolled: { en: 'No second factor is set up.', zh: '尚未设置双重认证。' },
  notice_unaccepted: {
    en: 'Accept the text before sign-in first: sign in with a browser or with an SSH client in a terminal.',
    zh: '请先使用浏览器或在终端中用 SSH 客户端登录，并接受登录前提示。',
  },
  notice_changed: {
    en: 'The text has changed. Read it again.',
    zh: '提示内容已更改，请重新阅读。',
  },
  login_confirm_wait: {
    en: 'Waiting for a reviewer to confirm this sign-in. Reviewers: {names}',
    zh: '等待登录复核。复核人：{names}',
  },
  login_confirm_error: {
    en: 'The sign-in confirmation ticket was {how}.',
    zh: '登录复核工单{how}。',
  },
  login_confirm_nobody: {
    en: 'A reviewer must confirm this sign-in, but none of your reviewers can sign in. Ask an administrator.',
    zh: '该登录需要复核，但目前没有可用的复核人，请联系管理员。',
  },
  challenge_required: {
    en: 'The server that checks this password asks: {message}',
    zh: '验证密码的服务器提出问题：{message}',
  },
  challenge_failed: {
    en: 'The answer was not accepted. Enter the password again. You have {times, plural, one {# more attempt} other {# more attempts}} before the account is locked for {minutes, plural, one {# minute} other {# minutes}}.',
    zh: '回答未被接受，请重新输入密码。还可以尝试 {times} 次，之后账号将被锁定 {minutes} 分钟。',
  },
  challenge_too_often: {
    en: 'The server that checks this password asked too many questions. Sign in again.',
    zh: '验证密码的服务器提问次数过多，请重新登录。',
  },
  login_confirm_refused: { en: 'A reviewer did not confirm this sign-in.', zh: '登录复核未通过。' },
  reviewer_self: { en: 'Users cannot confirm their own sign-ins.', zh: '用户不能复核自己的登录。' },
  ticket_attempt_over: {
    en: 'This sign-in has ended: the user canceled it or it timed out.',
    zh: '本次登录已结束：用户已放弃，或已超时。',
  },
  session_empty: {
    en: 'Verification failed, please Login again. The sign-in took too long or was ended.',
    zh: '验证失败，请重新登录。登录已超时或已结束。',
  },
  passkey_failed: {
    en: 'The passkey was not accepted. Try again or use another method.',
    zh: '通行密钥验证失败，请重试或使用其他方式。',
  },
  sign_in_needed: {
    en: 'An access key cannot do this. Sign in with a browser or a token.',
    zh: '访问密钥不能执行此操作，请使用浏览器或令牌登录。',
  },
  device_pending: { en: 'The user has not confirmed yet.', zh: '用户尚未确认。' },
  device_too_early: { en: 'Asked too often. Wait longer.', zh: '查询过于频繁，请稍候。' },
  device_denied: {
    en: 'The sign-in of this device was denied.',
    zh: '此设备的登录已被拒绝。',
  },
  device_expired: {
    en: 'This code has expired or was already used. Start the sign-in again.',
    zh: '此代码已过期或已被使用，请重新发起登录。',
  },
  device_code_unknown: {
    en: 'No device waits with this code. Compare it with your terminal; codes expire after {minutes, plural, one {# minute} other {# minutes}}.',
    zh: '没有设备在等待此代码。请与终端中的代码核对；代码在 {minutes} 分钟后失效。',
  },
  device_other_user: {
    en: 'The device expects another account. Sign in to the console with that account.',
    zh: '此设备要登录的是其他账号，请用该账号登录控制台。',
  },
  device_days: {
    en: 'A device can stay signed in for at most {max, plural, one {# day} other {# days}}.',
    zh: '设备最多可保持登录 {max} 天。',
  },
  sign_in_again: { en: 'Sign in again to change this.', zh: '请重新登录后再修改。' },
  access_key_end: {
    en: 'An API key must expire within {max, plural, one {# day} other {# days}}.',
    zh: 'API Key 须在 {max, number} 天内失效。',
  },
  ssh_key_limit: {
    en: 'You can have at most {max, plural, one {# SSH key} other {# SSH keys}}. Delete one first.',
    zh: '最多可添加 {max} 个 SSH 密钥，请先删除不用的密钥。',
  },
  ssh_key_known: { en: 'You have added this key already.', zh: '该密钥已添加。' },
  access_key_limit: {
    en: 'You can have at most {max, plural, one {# access key} other {# access keys}}. Delete one first.',
    zh: '最多可创建 {max} 个访问密钥，请先删除不用的密钥。',
  },
  snippet_limit: {
    en: 'You can have at most {max, plural, one {# snippet} other {# snippets}}. Delete one first.',
    zh: '最多可保存 {max} 条常用命令，请先删除不用的命令。',
  },
  public_key_expired: { en: 'The public key has expired.', zh: '公钥已过期。' },
  public_key_failed: { en: 'The public key was not accepted.', zh: '公钥验证失败。' },
  signature_date: {
    en: 'The Date of the signature and the clock of the server differ by {minutes, plural, one {# minute} other {# minutes}}. At most {max} are accepted.',
    zh: '签名的 Date 与服务器时钟相差 {minutes} 分钟，最多允许 {max} 分钟。',
  },
  signature_replayed: {
    en: 'This signed request was received before. Sign it again.',
    zh: '该签名请求已被使用，请重新签名。',
  },
  reset_link_invalid: {
    en: 'This link has expired or was already used. Request a new one.',
    zh: '该链接已被使用或已过期，请重新申请。',
  },
  self_mfa_reset: {
    en: 'You cannot reset your own second factor here. Change it on your profile page.',
    zh: '不能在此重置自己的双重认证，请在个人信息页面修改。',
  },
  identity_last_way: {
    en: 'This is the only way to sign in to this account. An administrator can unlink it and at the same time set a password or send a setup link.',
    zh: '这是该账号唯一的登录方式。管理员可以在解除的同时设置密码，或发送设置密码的链接。',
  },
  no_mail_address: {
    en: 'This account has no email address. Enter one, or set a password.',
    zh: '该账号没有邮箱地址，请先填写邮箱，或者设置密码。',
  },
  not_local: {
    en: 'The password of this account is managed by {source}. Change it there.',
    zh: '该账号的密码不由本系统管理（{source}），请在其来源处修改。',
  },
  password_same: {
    en: 'The new password must differ from the current one.',
    zh: '新密码不能与当前密码相同。',
  },
  mail_not_configured: {
    en: 'No mail server is set up. An administrator can add one in the settings.',
    zh: '未配置邮件服务器，请管理员在系统设置中配置。',
  },
  mail_failed: { en: 'The mail could not be sent: {reason}', zh: '邮件发送失败：{reason}' },
  not_re2: {
    en: 'This pattern cannot be used: {why}. Patterns have the syntax of RE2, without look-around and back references.',
    zh: '无法使用该表达式：{why}。请使用 RE2 语法，不支持环视和反向引用。',
  },
  pattern_too_large: {
    en: 'This pattern is too large once its repetitions are written out. Use smaller numbers.',
    zh: '展开重复次数后表达式过大，请减小次数。',
  },
  public_key_off: {
    en: 'SSH keys are switched off in the terminal settings.',
    zh: '终端设置中已关闭密钥认证。',
  },
  tls_twice: { en: 'Use either SSL or TLS, not both.', zh: 'SSL 和 TLS 只能启用其中一个。' },
  password_for_other_server: {
    en: 'Type the password again. The stored one is only sent to the server and account it was saved for.',
    zh: '请重新输入密码：已保存的密码只会发送给原来的服务器和账号。',
  },
  no_recipient: {
    en: 'Enter a test recipient, or use an email address as the sender or the SMTP account.',
    zh: '请填写测试收件人，或填写邮箱形式的发件人或 SMTP 账号。',
  },

  provider_failed: {
    en: 'The sign-in with the provider was not completed. Try again.',
    zh: '未能完成第三方登录，请重试。',
  },
  provider_unavailable: {
    en: 'The provider cannot be reached at the moment. Try again later.',
    zh: '暂时无法连接认证服务，请稍后重试。',
  },
  provider_username: {
    en: 'The provider did not send a username that can be used here. Contact an administrator.',
    zh: '认证服务未提供可用的用户名，请联系管理员。',
  },
  provider_username_taken: {
    en: 'Another account has this name. Contact an administrator.',
    zh: '已存在同名用户，请联系管理员。',
  },
  provider_email_taken: {
    en: 'The email address belongs to another account. Contact an administrator.',
    zh: '该邮箱已被其他用户使用，请联系管理员。',
  },
  provider_other_source: {
    en: 'This account no longer signs in through the provider.',
    zh: '该用户已不再使用第三方登录。',
  },
  provider_no_account: {
    en: 'There is no account for you here yet. Contact an administrator.',
    zh: '您在本系统中尚无账号，请联系管理员。',
  },
} as const satisfies Readonly<Record<string, LocalText>>;
