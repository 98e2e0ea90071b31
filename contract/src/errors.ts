import { FIELD_ERRORS } from './field-errors.ts';
import type { LocalText, TextParams } from './kit/text.ts';

/**
 * Every error that the server answers, by a stable code. Codes are never reused; clients branch on codes, users read texts.
 * The code that throws an error fills its `{name}` places.
 */
export const ERRORS = {
  ...FIELD_ERRORS,
  // whole requests
  not_authenticated: { en: 'Sign in to continue.', zh: '请先登录。' },
  permission_denied: { en: 'You do not have permission to do this: {needed} is required.', zh: '您没有权限执行此操作：需要{needed}权限。' },
  csrf_failed: { en: 'CSRF Failed: reload the page and try again.', zh: 'CSRF 验证失败：请刷新页面后重试。' },
  origin_refused: { en: 'This request came from another site and was refused.', zh: '该请求来自其他站点，已被拒绝。' },
  not_found: { en: 'Not found.', zh: '未找到。' },
  method_not_allowed: { en: 'Method {method} is not allowed here.', zh: '此处不允许使用 {method} 方法。' },
  malformed_request: { en: 'The request is not valid HTTP.', zh: '请求不是有效的 HTTP 请求。' },
  host_refused: { en: 'This server does not answer to the name {host}.', zh: '本服务器不以名称 {host} 提供服务。' },
  malformed_csv: { en: 'The file is not valid CSV. Check line {line}.', zh: '文件不是有效的 CSV：请检查第 {line} 行。' },
  unknown_column: { en: 'There is no column "{column}". Take the header from the template.', zh: '没有名为“{column}”的列，请使用模板中的表头。' },
  too_many_columns: { en: 'The file has more than {max} columns: look at line {line}.', zh: '文件超过 {max} 列：请检查第 {line} 行。' },
  too_many_cells: { en: 'The file has more than {max} cells. Split it into smaller files.', zh: '文件超过 {max} 个单元格，请拆分后再导入。' },
  too_deep: { en: 'The body is nested too deeply.', zh: '请求体嵌套层级过深。' },
  digest_mismatch: { en: 'The body does not match its digest.', zh: '请求体与其摘要不一致。' },
  digest_unknown: { en: 'Make the digest of the body with sha-256 or sha-512.', zh: '请求体摘要必须使用 sha-256 或 sha-512。' },
  unsupported_media_type: { en: 'Send the body as application/json.', zh: '请使用 application/json 发送请求体。' },
  body_too_large: { en: 'The body is larger than {max} bytes.', zh: '请求体超过 {max} 字节。' },
  invalid: { en: 'Something that was sent is not valid.', zh: '发送的内容无效。' },
  conflict: { en: 'Another user changed this in the meantime. Reload and try again.', zh: '该对象已被其他人修改，请刷新后重试。' },
  in_use: { en: 'This is still used by {what} and cannot be deleted.', zh: '仍被{what}使用，无法删除。' },
  too_many_requests: {
    en: 'Too many requests. Try again in {seconds, plural, one {# second} other {# seconds}}.',
    zh: '请求过于频繁，请在 {seconds} 秒后重试。',
  },
  timeout: { en: 'The request took too long and was stopped.', zh: '请求超时，已终止。' },
  internal: { en: 'Server internal error', zh: '服务器内部错误' },
  busy: { en: 'The server is busy. Try again in a moment.', zh: '服务器繁忙，请稍后重试。' },
  unavailable: { en: 'The service is starting or stopping. Try again shortly.', zh: '服务正在启动或停止，请稍后重试。' },

  // jobs
  job_not_cancelable: { en: 'This job has already ended and cannot be canceled.', zh: '该任务已结束，无法取消。' },
  job_not_retryable: { en: 'This job cannot be run again.', zh: '该任务无法重新运行。' },
  job_access: { en: 'You may not start this job.', zh: '您无权启动该任务。' },
  job_exists: { en: 'Another job already has this id.', zh: '该 ID 已被其他任务使用。' },
  job_canceled: { en: 'The job was canceled. Nothing was changed.', zh: '任务已取消，未更改任何数据。' },
  job_abandoned: { en: 'The job stopped because the request that started it ended.', zh: '发起该任务的请求已中断，任务已停止。' },
  job_timeout: { en: 'The job took too long and was stopped.', zh: '任务运行时间过长，已停止。' },
  job_interrupted: { en: 'The server stopped while the job was running.', zh: '服务器停止运行，任务已中断。' },

  // fields
  unknown_set: { en: 'This selection is unknown or has expired. Select the rows again.', zh: '该选择集不存在或已过期，请重新选择。' },
  too_many_matches: { en: 'Name the objects to delete with ids or a selection (spm).', zh: '请通过 ids 或选择集（spm）指定要删除的对象。' },
  not_private_key: { en: 'This is not a private key, or the password does not open it.', zh: '这不是有效的私钥，或密码无法解开该私钥。' },
  not_public_key: { en: 'This is not a valid SSH public key.', zh: '这不是有效的 SSH 公钥。' },
  not_unique: { en: 'This field must be unique.', zh: '字段必须唯一。' },
  auditor_in_group: { en: '{name} is an auditor. Auditors cannot be in user groups.', zh: '{name} 是审计员，审计员不能加入用户组。' },
  unknown_object: { en: 'Invalid pk "{value}" - object does not exist.', zh: '无效的主键 “{value}” —— 对象不存在。' },
  unknown_name: { en: 'No {what} is called “{value}”. There are: {names}', zh: '没有名为“{value}”的{what}。现有：{names}' },
  unknown_name_none: { en: 'No {what} is called “{value}”. There are none yet.', zh: '没有名为“{value}”的{what}，目前一个也没有。' },
  ambiguous_name: { en: 'More than one {what} is called “{value}”. Give its id instead.', zh: '名为“{value}”的{what}不止一个，请改填其 ID。' },
  too_many_new: { en: 'A file may make at most {max, number} new nodes.', zh: '一个文件最多可新建 {max, number} 个节点。' },
  date_order: { en: 'The end must be later than the start.', zh: '结束时间必须晚于开始时间。' },
  password_rule: { en: 'The password does not meet the rules: {rules}', zh: '密码不符合规则：{rules}' },
  password_mismatch: { en: 'The two passwords differ.', zh: '两次输入的密码不一致。' },
  password_wrong: { en: 'The password is incorrect.', zh: '密码不正确。' },

  // signing in
  password_failed: {
    en: 'The username or password you entered is incorrect. {times, plural, one {# more attempt is} other {# more attempts are}} possible before the account is locked for {minutes, plural, one {# minute} other {# minutes}}.',
    zh: '您输入的用户名或密码不正确，还可以尝试 {times} 次（账号将被临时锁定 {minutes} 分钟）。',
  },
  block_login: {
    en: 'The account has been locked. Contact an administrator to unlock it, or try again after {minutes, plural, one {# minute} other {# minutes}}.',
    zh: '账号已被锁定（请联系管理员解锁，或 {minutes} 分钟后重试）。',
  },
  user_inactive: { en: 'This account is disabled or expired.', zh: '该账号已被禁用或已过期。' },
  password_expired: { en: 'The password has expired.', zh: '密码已过期。' },
  mfa_failed: { en: 'The code is incorrect or was already used.', zh: '验证码不正确或已被使用。' },
  mfa_required: { en: 'A second factor is required.', zh: '需要进行双重认证。' },
  mfa_unset: {
    en: 'A second factor is required and none is set up. Sign in with a browser to set one up.',
    zh: '需要双重认证但尚未设置，请使用浏览器登录并完成设置。',
  },
  mfa_blocked: {
    en: 'Too many wrong codes. Try again after {minutes, plural, one {# minute} other {# minutes}}.',
    zh: '验证码错误次数过多，请 {minutes} 分钟后重试。',
  },
  mfa_verify_required: { en: 'Confirm with your second factor first.', zh: '请先完成双重认证。' },
  mfa_forced: {
    en: 'This account must have a second factor. Add another one before you remove the last.',
    zh: '该账号必须使用双重认证，请先添加其他认证方式再移除。',
  },
  mfa_remove_first: { en: 'Remove your authenticator and passkeys first.', zh: '请先解除绑定身份验证器和通行密钥。' },
  mfa_not_enrolled: { en: 'No second factor is set up.', zh: '尚未设置双重认证。' },
  session_empty: { en: 'The sign-in took too long or was ended. Sign in again.', zh: '登录已超时或已结束，请重新登录。' },
  passkey_failed: { en: 'The passkey was not accepted. Try again or use another method.', zh: '通行密钥验证失败，请重试或使用其他方式。' },
  sign_in_needed: { en: 'An access key cannot do this. Sign in with a browser or a token.', zh: '访问密钥不能执行此操作，请使用浏览器或令牌登录。' },
  sign_in_again: { en: 'Sign in again to change this.', zh: '请重新登录后再修改。' },
  access_key_limit: {
    en: 'There may be at most {max, plural, one {# access key} other {# access keys}}. Delete one first.',
    zh: '最多可创建 {max} 个访问密钥，请先删除不用的密钥。',
  },
  snippet_limit: {
    en: 'There may be at most {max, plural, one {# snippet} other {# snippets}}. Delete one first.',
    zh: '最多可保存 {max} 条常用命令，请先删除不用的命令。',
  },
  public_key_failed: { en: 'The public key was not accepted.', zh: '公钥验证失败。' },
  signature_replayed: { en: 'This signed request was received before. Sign it again.', zh: '该签名请求已被使用，请重新签名。' },
  reset_link_invalid: { en: 'This link has expired or was already used. Ask for a new one.', zh: '该链接已被使用或已过期，请重新申请。' },
  self_mfa_reset: {
    en: 'You cannot reset your own second factor here. Change it on your profile page.',
    zh: '不能在此重置自己的双重认证，请在个人信息页面修改。',
  },
  not_local: {
    en: 'The password of this account is managed by {source}. Change it there.',
    zh: '该账号的密码不由本系统管理（{source}），请在其来源处修改。',
  },
  password_same: { en: 'The new password must differ from the current one.', zh: '新密码不能与当前密码相同。' },
  mail_not_configured: { en: 'No mail server is set up. An administrator can add one in the settings.', zh: '未配置邮件服务器，请管理员在系统设置中配置。' },
  mail_failed: { en: 'The mail could not be sent: {reason}', zh: '邮件发送失败：{reason}' },
  not_re2: {
    en: 'This pattern cannot be used: {why}. Patterns have the syntax of RE2, without look-around and back references.',
    zh: '无法使用该表达式：{why}。请使用 RE2 语法，不支持环视和反向引用。',
  },
  pattern_too_large: {
    en: 'This pattern is too large once its repetitions are written out. Use smaller numbers.',
    zh: '展开重复次数后表达式过大，请减小次数。',
  },
  public_key_off: { en: 'SSH keys are switched off in the terminal settings.', zh: '终端设置中已关闭密钥认证。' },
  tls_twice: { en: 'Use either SSL or TLS, not both.', zh: 'SSL 和 TLS 只能启用其中一个。' },
  password_for_other_server: {
    en: 'Type the password again. The stored one is only sent to the server and account it was saved for.',
    zh: '请重新输入密码：已保存的密码只会发送给原来的服务器和账号。',
  },
  no_recipient: {
    en: 'Enter a test recipient, or use an email address as the sender or the SMTP account.',
    zh: '请填写测试收件人，或填写邮箱形式的发件人或 SMTP 账号。',
  },

  // directories
  directory_unavailable: {
    en: 'The user directory (LDAP) cannot be reached, so passwords cannot be checked. Try again later, or contact an administrator.',
    zh: '暂时无法连接用户目录（LDAP），不能验证密码。请稍后重试，或联系管理员。',
  },
  directory_failed: { en: '{step} failed: {reason}', zh: '{step}失败：{reason}' },
  directory_disabled: { en: 'LDAP sign-in is not enabled. Enable it in the settings first.', zh: '未启用 LDAP 认证，请先在系统设置中启用。' },
  directory_attribute_map: {
    en: 'Write the map as JSON with username, name and email, such as {"username": "uid", "name": "cn", "email": "mail"}; phone, wechat and comment may be there as well.',
    zh: '请填写包含 username、name 和 email 的 JSON 映射，例如 {"username": "uid", "name": "cn", "email": "mail"}；还可包含 phone、wechat 和 comment。',
  },
  directory_reading: {
    en: 'The directory is being read: {count, plural, one {# person} other {# people}} so far. Ask again shortly.',
    zh: '正在读取用户目录：已读取 {count} 个用户，请稍后再试。',
  },
  directory_not_read: { en: 'The directory has not been read yet. Refresh the cache first.', zh: '尚未读取用户目录，请先刷新缓存。' },
  directory_unknown_person: { en: 'The directory has no entry with this name.', zh: '用户目录中没有该用户。' },
  directory_ambiguous: { en: 'The directory lists several people with this name.', zh: '用户目录中有多个同名用户。' },
  directory_other_source: { en: 'An account with this name exists, but does not come from the directory.', zh: '已存在同名的非目录用户。' },
  directory_email_taken: { en: 'The email address belongs to another account.', zh: '该邮箱已被其他用户使用。' },

  openid_failed: { en: 'The sign-in with the provider was not completed. Try again.', zh: '未能完成第三方登录，请重试。' },
  openid_test_failed: { en: '{step} failed: {reason}', zh: '{step}失败：{reason}' },
  openid_unavailable: { en: 'The provider cannot be reached at the moment. Try again later.', zh: '暂时无法连接认证服务，请稍后重试。' },
  openid_username: {
    en: 'The provider did not send a username that can be used here. Contact an administrator.',
    zh: '认证服务未提供可用的用户名，请联系管理员。',
  },
  openid_username_taken: { en: 'Another account has this name. Contact an administrator.', zh: '已存在同名用户，请联系管理员。' },
  openid_email_taken: { en: 'The email address belongs to another account. Contact an administrator.', zh: '该邮箱已被其他用户使用，请联系管理员。' },
  openid_other_source: { en: 'This account no longer signs in through the provider.', zh: '该用户已不再使用第三方登录。' },

  // files
  malformed_form: { en: 'The form with the file cannot be read.', zh: '无法读取上传的表单。' },
  file_missing: { en: 'Choose a file.', zh: '请选择文件。' },
  file_too_large: { en: 'The file is larger than {max} bytes.', zh: '文件超过 {max} 字节。' },
  not_picture: { en: 'This is not a {kinds} picture.', zh: '这不是 {kinds} 图片。' },
  unsafe_picture: { en: 'This SVG contains more than a drawing ({what}), so it was refused.', zh: '该 SVG 包含绘图以外的内容（{what}），已被拒绝。' },
  heavy_picture: { en: 'This SVG refers to itself too often. Simplify it and try again.', zh: '该 SVG 重复引用自身内容过多，请简化后重试。' },
  license_unreadable: { en: 'This is not a license file.', zh: '这不是许可证文件。' },
  license_signature: { en: 'The signature of the license does not match this installation.', zh: '许可证签名与本系统不匹配。' },
  license_expired: { en: 'This license expired on {date}.', zh: '该许可证已于 {date} 过期。' },
  license_no_key: {
    en: 'This installation knows no public key to check licenses with. Issue one with the command "license issue", or set SALLYPORT_LICENSE_PUBLIC_KEY.',
    zh: '本系统没有用于校验许可证的公钥。请使用命令“license issue”签发，或设置 SALLYPORT_LICENSE_PUBLIC_KEY。',
  },

  // resources
  own_account: { en: 'Change this on your profile page.', zh: '请在个人信息页面修改自己的此项信息。' },
  own_identity: { en: 'Ask another administrator of the installation to change this.', zh: '请由其他超级管理员修改此项信息。' },
  first_administrator: {
    en: 'The first administrator keeps this, so that somebody can always sign in.',
    zh: '首个管理员的此项信息不可修改，以确保始终有人可以登录。',
  },
  colleague_account: {
    en: 'Only administrators of the installation can change administrators and auditors.',
    zh: '只有超级管理员可以修改管理员和审计员的账号。',
  },
  guest_account: {
    en: 'This account was created outside of your organization. Only administrators of the installation can change it.',
    zh: '该账号不是由当前组织创建的，只有超级管理员可以修改。',
  },
  shared_account: {
    en: 'This account belongs to more than one organization. Only administrators of the installation can change this.',
    zh: '该账号属于多个组织，只有超级管理员可以修改此项信息。',
  },
  external_account: {
    en: 'This account comes from a directory or sign-in provider. Only administrators of the installation can change this.',
    zh: '该账号来自外部用户目录或认证服务，只有超级管理员可以修改此项信息。',
  },
  source_protected: { en: 'Only administrators of the installation can choose the source of an account.', zh: '只有超级管理员可以指定用户来源。' },
  self_delete: { en: 'You cannot delete your own account.', zh: '不能删除自己的账号。' },
  role_protected: { en: 'Only administrators of the installation can give this role.', zh: '只有超级管理员可以指定该角色。' },
  storage_type_internal: { en: 'Storages of this type come with the product.', zh: '此类型的存储由系统自带。' },
  storage_type_fixed: { en: 'The type of a storage cannot be changed.', zh: '存储的类型不能更改。' },
  storage_default: { en: 'Storages that come with the product cannot be changed or deleted.', zh: '不允许修改或删除默认存储配置。' },
  storage_index_fixed: {
    en: 'Commands are kept in this index, so it cannot be changed. Create another storage instead.',
    zh: '该索引中已保存命令，不能更改。请另建一个存储。',
  },
  not_index: {
    en: 'Name an index in lower-case letters, digits, hyphens and underscores; it begins with a letter or digit.',
    zh: '索引名只能包含小写字母、数字、连字符和下划线，并以字母或数字开头。',
  },
  not_certificate: { en: 'This is no certificate in PEM.', zh: '这不是 PEM 格式的证书。' },
  command_storage_away: {
    en: 'The command storage {name} cannot be searched: {reason}',
    zh: '无法搜索命令存储“{name}”：{reason}',
  },
  commands_too_many: {
    en: 'More than {max, number} commands in the command storage match. Choose a shorter time, or look for more.',
    zh: '命令存储中匹配的命令超过 {max, number} 条，请缩短时间范围或增加搜索内容。',
  },
  terminal_runs: {
    en: 'This terminal is running, and a running server registers itself. Stop the server first, or retire the terminal.',
    zh: '该终端正在运行，运行中的服务器会自动注册。请先停止服务器，或停用该终端。',
  },
  object_protected: { en: 'You can’t change this.', zh: '您不能修改此内容。' },
  license_required: { en: 'A valid license is required.', zh: '该功能需要有效的许可证。' },
  license_assets: {
    en: 'The license covers {limit, plural, one {# asset} other {# assets}} in all organizations together, so no more can be added. Delete some that are not needed, or import a larger license.',
    zh: '许可证允许所有组织共 {limit} 个资产，已不能继续添加。请删除不需要的资产，或导入更大的许可证。',
  },
  organization_name_reserved: { en: 'This name is reserved. Choose another one.', zh: '该名称为系统保留名称，请使用其他名称。' },
  organization_not_empty: {
    en: 'The organization still has {what}. Remove them first.',
    zh: '组织内包含未删除的资源（{what}），请先删除。',
  },
  organization_current: { en: 'The current organization cannot be deleted. Switch to another one first.', zh: '不能删除当前所在的组织，请先切换到其他组织。' },
  invite_outside: {
    en: 'All users belong to the default organization. Switch to another one to invite people.',
    zh: '所有用户都属于默认组织，请切换到其他组织后再邀请。',
  },
  account_unknown: { en: 'No account has exactly this username or email address.', zh: '没有用户名或邮箱与此完全一致的账号。' },
  member_already: { en: 'This user is already a member of the organization.', zh: '已经是该组织的成员。' },
  relation_needed: { en: 'Keep at least {min}.', zh: '至少需要保留 {min} 个。' },
  node_not_empty: { en: 'The node still has child nodes or assets.', zh: '该节点下还有子节点或资产，不能删除。' },
  node_root: { en: 'The root node cannot be changed this way.', zh: '不能对根节点执行该操作。' },
  node_cycle: { en: 'A node cannot be moved below itself.', zh: '不能将节点移动到它自身之下。' },
  node_too_deep: { en: 'The tree cannot be deeper than {max} levels.', zh: '节点层级不能超过 {max} 层。' },
  no_previous_secret: { en: 'There is no earlier password or key to go back to.', zh: '没有可恢复的旧密码或密钥。' },
  host_key_other: {
    en: 'The server now offers a different key than the one you reviewed. Reload and compare again.',
    zh: '服务器现在提供的密钥与您核对的不同，请刷新后重新核对。',
  },
  login_required_credentials: { en: 'Automatic login needs a username and a password or a key.', zh: '自动登录需要用户名以及密码或密钥。' },

  // connections
  connect_denied: { en: 'You have no permission to connect to this asset with this account.', zh: '您没有权限使用该账号连接此资产。' },
  connect_expired: { en: 'Your permission for this asset has ended.', zh: '您对该资产的授权已到期。' },
  connect_asset_inactive: { en: 'This asset is disabled.', zh: '该资产已被禁用。' },
  connect_no_account: { en: 'No system user is granted for this asset.', zh: '该主机没有授权系统用户。' },
  connect_protocol: { en: 'This asset does not offer {protocol}.', zh: '该资产不支持 {protocol} 协议。' },
  connect_unreachable: { en: '{host} cannot be reached.', zh: '无法连接到 {host}。' },
  connect_address: {
    en: '{host} belongs to this server or its local network link. Assets may have such an address only if the operator allows it.',
    zh: '{host} 指向本服务器自身或本地链路，不允许作为资产地址；如有需要，请由运维人员放行。',
  },
  connect_refused: { en: '{host} refused the connection.', zh: '{host} 拒绝了连接。' },
  connect_timeout: { en: '{host} did not answer in time.', zh: '{host} 在规定时间内没有响应。' },
  connect_credentials: { en: '{host} did not accept the credentials of {account}.', zh: '{host} 不接受 {account} 的登录凭据。' },
  connect_host_key: {
    en: 'The host key of {host} has changed. The connection was refused; an administrator can review and accept the new key.',
    zh: '{host} 的主机密钥已变更，连接已被拒绝；管理员可以核对并接受新的密钥。',
  },
  connect_target_closed: { en: 'The server closed the session.', zh: '服务器已关闭会话。' },
  connect_target_lost: { en: 'The connection to the server was lost.', zh: '与服务器的连接已断开。' },
  connect_target_flooded: {
    en: 'The server sent more than was asked for, so the session was closed.',
    zh: '服务器发送的数据超出允许的范围，会话已关闭。',
  },
  connect_no_greeting: {
    en: '{host} accepted the connection and closed it before SSH began.',
    zh: '{host} 接受了连接，但在 SSH 握手开始前就关闭了。',
  },
  connect_outdated: {
    en: '{host} offers only outdated SSH algorithms. Update its SSH server, or give the asset a platform that allows old SSH algorithms.',
    zh: '{host} 仅提供过时的 SSH 算法。请升级其 SSH 服务，或为该资产选用允许旧 SSH 算法的系统平台。',
  },
  connect_outdated_gateway: {
    en: 'The gateway {host} offers only outdated SSH algorithms, which gateways may not use. Update its SSH server.',
    zh: '网关 {host} 仅提供过时的 SSH 算法，网关不允许使用。请升级其 SSH 服务。',
  },
  connect_protocol_error: { en: '{host} did not answer like an SSH server.', zh: '{host} 的 SSH 协议交互异常。' },
  session_limit: {
    en: 'You already have {max, plural, one {# session} other {# sessions}} open, the most allowed. Close one first.',
    zh: '您已打开 {max} 个会话，已达上限，请先关闭其中一个。',
  },
  session_watch_ended: { en: 'You may no longer watch this session.', zh: '您已无权监控此会话。' },
  watch_limit: { en: 'Too many people are watching this session already.', zh: '监控此会话的人数已达上限。' },
  invitation_off: { en: 'Invitations into sessions are switched off.', zh: '邀请他人加入会话的功能已关闭。' },
  invitation_limit: { en: 'At most {open} open invitations, {max} in all.', zh: '最多 {open} 个有效邀请，共 {max} 个。' },
  invitation_unknown: { en: 'This invitation does not exist or has ended.', zh: '该邀请不存在或已结束。' },
  invitation_expired: { en: 'This invitation has expired.', zh: '该邀请已过期。' },
  invitation_ended: { en: 'The host ended your visit.', zh: '会话的主人结束了您的访问。' },
  invitation_taken: { en: 'Somebody else has used this invitation.', zh: '该邀请已被他人使用。' },
  invitation_for_another: { en: 'This invitation is for another user.', zh: '该邀请是发给其他用户的。' },
  socket_limit: { en: 'You have too many connections open. Close some first.', zh: '您打开的连接过多，请先关闭一些。' },
  session_terminated: { en: 'An administrator ended this session: {who}.{why}', zh: '管理员 {who} 终止了此会话。{why}' },
  session_idle: {
    en: 'The session was idle for more than {minutes, plural, one {# minute} other {# minutes}} and was closed.',
    zh: '空闲时间超过 {minutes} 分钟，连接已断开。',
  },
  session_too_long: {
    en: 'The session reached its maximum duration of {hours, plural, one {# hour} other {# hours}}.',
    zh: '会话已达到最长时限 {hours} 小时。',
  },
  session_signed_out: { en: 'You have signed out, so the session was closed.', zh: '您已退出登录，会话已关闭。' },
  session_recording_failed: { en: 'The session cannot be recorded, so it was closed.', zh: '会话无法录像，已被关闭。' },
  command_denied: { en: 'The command filter "{filter}" does not allow this: {rule}', zh: '命令过滤器“{filter}”禁止执行：{rule}' },
  command_unread: {
    en: 'This line could not be read, so it was not run. Type it again without recalling or completing it.',
    zh: '无法读取该命令行，因此没有执行。请重新完整输入，不要使用历史或补全。',
  },
  transfer_denied: { en: 'Your permission does not include: {action}.', zh: '您的授权不包含：{action}。' },
  factor_needed: {
    en: 'This connection needs a second factor that was proved in the last {minutes} min. Connect with a terminal (ssh -t), which asks for it, or sign in again with it.',
    zh: '该连接要求在最近 {minutes} 分钟内通过双重认证。请使用终端连接（ssh -t）后输入验证码，或使用双重认证重新登录。',
  },
  factor_missing: {
    en: 'This connection asks for a code, and your account has no authenticator. Set one up in your profile; who has a passkey can also prove it there and connect again.',
    zh: '该连接要求输入验证码，但您的账号没有设置身份验证器。请在个人信息页设置；有通行密钥的用户也可以在那里验证后重新连接。',
  },
  forward_elsewhere: { en: 'Only ports of the server itself can be reached, not {host}.', zh: '只能转发到服务器自身的端口，不能转发到 {host}。' },
  shell_unguarded: {
    en: 'Command filters apply to this account, and a shell without a terminal cannot be filtered. Connect with a terminal (ssh -t), or name the command.',
    zh: '该账号启用了命令过滤，无法过滤没有终端的 Shell。请使用终端连接（ssh -t），或指明要执行的命令。',
  },
  transfer_unreadable: { en: 'This file transfer does not follow its protocol, so it was ended.', zh: '文件传输不符合协议，已终止。' },
  files_not_offered: { en: '{host} does not offer file transfer (SFTP).', zh: '{host} 未提供文件传输（SFTP）。' },
  file_root: {
    en: 'The folder of this account for files is not on the server: {path}. An administrator sets it as SFTP root of the system user.',
    zh: '服务器上不存在此账号的文件根目录：{path}。管理员可在系统用户的“SFTP 根路径”中设置。',
  },
  file_not_found: { en: 'There is no such file or folder.', zh: '文件或文件夹不存在。' },
  file_exists: { en: 'There is a file or folder of this name already.', zh: '同名的文件或文件夹已存在。' },
  file_denied: { en: 'The server does not allow this account to do that.', zh: '服务器不允许该账号执行此操作。' },
  file_outside: { en: 'This leads out of the folder that the account may use.', zh: '该路径超出了此账号可以使用的目录。' },
  file_name: { en: 'This name or path is not possible on the server.', zh: '该名称或路径在服务器上不可用。' },
  file_kind: { en: 'This is not the kind of file that this can be done with.', zh: '该类型的文件不支持此操作。' },
  file_failed: { en: 'The server could not do this.', zh: '服务器未能完成此操作。' },
  file_limit: { en: 'Too much at once. Close some files first.', zh: '同时打开的文件过多，请先关闭一些。' },
  file_folder_full: { en: 'The folder has more than {max} entries.', zh: '文件夹中的条目超过 {max} 个。' },
  file_size: { en: 'The file that arrived does not have the size that was announced.', zh: '收到的文件大小与声明的不一致。' },
  file_incomplete: { en: 'The transfer ended before the file was complete.', zh: '传输在文件完整之前中断。' },
  files_not_connected: { en: 'The connection for files is closed. Connect again.', zh: '文件连接已断开，请重新连接。' },
  file_changed: { en: 'The file has changed on the server since it was opened.', zh: '文件打开之后在服务器上已被修改。' },
  file_not_text: { en: 'The file is not text that can be shown here.', zh: '该文件不是可以在此显示的文本。' },
  file_charset: { en: 'The text has characters that {charset} cannot write.', zh: '文本中有 {charset} 无法表示的字符。' },
  file_offset: { en: 'The upload goes on at byte {offset}.', zh: '请从第 {offset} 字节继续上传。' },
  file_range: { en: 'The file does not have that range of bytes.', zh: '文件没有所请求的字节范围。' },
  file_chosen: { en: 'Choose between 1 and {max} files.', zh: '请选择 1 到 {max} 个文件。' },
  command_not_allowed: { en: 'It is not among the commands that are allowed for this account.', zh: '该命令不在此账号允许的命令之列。' },
  command_not_plain: {
    en: 'Only plain commands run here: operators, variables, patterns and control characters must stand in quotes, or not at all.',
    zh: '此处只能执行普通命令：运算符、变量、通配符须加引号，不允许控制字符。',
  },
  command_quote_open: { en: 'A quote is not closed.', zh: '引号没有闭合。' },
  command_empty: { en: 'There is no command.', zh: '没有命令。' },
  command_long: { en: 'The command is too long.', zh: '命令过长。' },
  account_enforced: {
    en: 'This account runs allowed commands only; nothing else can be opened with it.',
    zh: '该账号只能执行允许的命令，不能打开其他内容。',
  },
  account_rules_changed: {
    en: 'The commands that are allowed for this account have changed. Connect again.',
    zh: '该账号允许的命令已变更，请重新连接。',
  },
  command_refused: { en: 'The command was not run: {message}', zh: '命令未执行：{message}' },
  command_not_checked: { en: 'The command could not be checked, so it was not run.', zh: '命令未能通过检查，因此没有执行。' },
  session_recording_full: {
    en: 'The recording of this session reached its limit of {megabytes} MiB, so the session was closed.',
    zh: '该会话的录像已达到上限 {megabytes} MiB，会话已关闭。',
  },
  session_disk_full: {
    en: 'There is too little space left for recordings, so no session can continue. Contact an administrator.',
    zh: '录像存储空间不足，会话无法继续，请联系运维人员。',
  },
  session_server_retired: {
    en: 'This server was retired and accepts no new sessions. Contact an administrator.',
    zh: '该服务器已停用，不再接受新会话，请联系管理员。',
  },
  session_server_stopping: { en: 'Sallyport is stopping; the session was closed.', zh: 'Sallyport 正在停止，会话已关闭。' },
  session_interrupted: { en: 'The bastion could not reach its database for a while, so the session was closed.', zh: '堡垒机暂时无法连接数据库，会话已关闭。' },
  session_finished: { en: 'The session has ended.', zh: '会话已结束。' },
  session_left: {
    en: 'The browser was gone for more than {minutes, plural, one {# minute} other {# minutes}}, so the session was closed.',
    zh: '浏览器断开超过 {minutes} 分钟，会话已关闭。',
  },
  session_moved: { en: 'This session continues in another window.', zh: '此会话已在另一个窗口中继续。' },
  session_gone: { en: 'The session is not open any more.', zh: '会话已不存在。' },
  session_not_watchable: { en: 'The session has ended or cannot be watched.', zh: '会话已经结束或不支持监控。' },
  replay_missing: { en: 'There is no recording of this session: {reason}', zh: '没有找到录像文件：{reason}' },
} as const satisfies Record<string, LocalText>;

export type ErrorCode = keyof typeof ERRORS;

export type ErrorParams = TextParams;

/** An error before it is translated. */
export interface Problem<Code extends ErrorCode = ErrorCode> {
  readonly code: Code;
  readonly params?: ErrorParams;
}

/** Problems by field; `non_field_errors` holds what concerns several fields. */
export type FieldProblems = Readonly<Record<string, readonly Problem[]>>;
