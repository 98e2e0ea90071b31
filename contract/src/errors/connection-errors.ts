import type { LocalText } from '../kit/text.ts';

/** Errors of connections to servers and desktops, and of invitations. */
export const CONNECTION_ERRORS = {
  connect_denied: {
    en: 'You have no permission to connect to this asset with this account.',
    zh: '您没有权限使用该账号连接此资产。',
  },
  connect_expired: {
    en: 'Your permission for this asset has ended.',
    zh: '您对该资产的授权已到期。',
  },
  connect_condition: {
    en: 'Your permission does not allow this connection: {reason}.',
    zh: '您的授权不允许此次连接：{reason}。',
  },
  connect_asset_inactive: { en: 'This asset is disabled.', zh: '该资产已被禁用。' },
  app_not_granted: {
    en: 'You may not use this application with this system user.',
    zh: '未授权使用该系统用户访问此应用。',
  },
  connect_no_account: {
    en: 'No system user is granted for this asset.',
    zh: '该资产没有授权给您的系统用户。',
  },
  connect_protocol: {
    en: 'This asset does not offer {protocol}.',
    zh: '该资产不支持 {protocol} 协议。',
  },
  connect_unreachable: { en: '{host} cannot be reached.', zh: '无法连接到 {host}。' },
  connect_address: {
    en: '{host} belongs to this server or its local network link. Assets may have such an address only if the operator allows it.',
    zh: '{host} 指向本服务器自身或本地链路，不允许作为资产地址；如有需要，请由运维人员放行。',
  },
  connect_refused: { en: '{host} refused the connection.', zh: '{host} 拒绝了连接。' },
  connect_timeout: { en: '{host} did not answer in time.', zh: '{host} 在规定时间内没有响应。' },
  connect_credentials: {
    en: '{host} did not accept the credentials of {account}.',
    zh: '{host} 不接受 {account} 的登录凭据。',
  },
  connect_charset: {
    en: 'The charset of this server lacks a character of the username or password of {account}.',
    zh: '{account} 的用户名或密码中有此服务器的编码无法表示的字符。',
  },
  charset_lacks: {
    en: 'The charset of this server lacks some typed characters. They were not sent.',
    zh: '部分字符无法用此服务器的编码表示，未发送。',
  },
  connect_serial_line: {
    en: '{host} did not set its serial line as the system user says (RFC 2217). Correct the serial line there, or leave it blank.',
    zh: '{host} 未按系统用户的串口参数设置串口（RFC 2217）。请修改该参数，或留空。',
  },
  connect_password: {
    en: '{host} did not accept the password.',
    zh: '{host} 不接受该密码。',
  },
  connect_host_key: {
    en: 'The host key of {host} has changed. The connection was refused; an administrator can review and accept the new key.',
    zh: '{host} 的主机密钥已变更，连接已被拒绝；管理员可以核对并接受新的密钥。',
  },
  connect_certificate_changed: {
    en: 'The certificate of {host} has another key than before. The connection was refused; an administrator can review and accept the new key.',
    zh: '{host} 的证书密钥已变更，连接已被拒绝；管理员可以核对并接受新的密钥。',
  },
  connect_outdated: {
    en: '{host} offers only outdated SSH algorithms. Update its SSH server, or give the asset a platform that allows old SSH algorithms.',
    zh: '{host} 仅提供过时的 SSH 算法。请升级其 SSH 服务，或为该资产选用允许旧 SSH 算法的系统平台。',
  },
  connect_outdated_gateway: {
    en: 'The gateway {host} offers only outdated SSH algorithms, which gateways may not use. Update its SSH server.',
    zh: '网关 {host} 仅提供过时的 SSH 算法，网关不允许使用。请升级其 SSH 服务。',
  },
  connect_certificate: {
    en: '{host} did not present a valid certificate.',
    zh: '{host} 未出示有效的证书。',
  },
  connect_certificate_expired: {
    en: 'The certificate of {host}, or of its authority, has expired{date}. Renew it there.',
    zh: '{host} 的证书或其颁发机构的证书已过期{date}，请在该服务器上更新。',
  },
  connect_certificate_early: {
    en: 'The certificate of {host}, or of its authority, is not valid yet{date}. Compare the clocks of {host} and of Sallyport.',
    zh: '{host} 的证书或其颁发机构的证书尚未生效{date}，请核对 {host} 与本系统的时钟。',
  },
  connect_certificate_name: {
    en: '{host} did not present a valid certificate: it is for other names{names}. Use one of its names as the address, or renew the certificate there.',
    zh: '{host} 未出示有效的证书：证书签发给其他名称{names}。请改用其中的名称作为地址，或在该服务器上更新证书。',
  },
  connect_certificate_untrusted: {
    en: '{host} did not present a valid certificate: its authority is not trusted here. Add that authority here, or renew the certificate there.',
    zh: '{host} 未出示有效的证书：颁发机构不受信任。请在本系统添加该机构，或在该服务器上更新证书。',
  },
  connect_client_certificate: {
    en: '{host} requires a certificate of the client, which Sallyport does not send. Allow sign-ins without it there, such as by tls-auth-clients optional.',
    zh: '{host} 要求客户端证书，而本系统不发送客户端证书。请在该服务器上允许无证书登录，例如 tls-auth-clients optional。',
  },
  connect_plain_password: {
    en: '{host} asks for the password in plain text, which is sent over TLS only. Turn on TLS for this database.',
    zh: '{host} 要求以明文发送密码，而明文密码只通过 TLS 发送。请为该数据库启用 TLS。',
  },
  connect_database: {
    en: 'The database at {host} refused the connection: {code} {message}',
    zh: '{host} 的数据库拒绝了连接：{code} {message}',
  },
  connect_database_missing: {
    en: '{host} has no database with this name ({code}).',
    zh: '{host} 上没有该名称的数据库（{code}）。',
  },
  connect_protocol_error: {
    en: '{host} did not answer like an SSH server.',
    zh: '{host} 的响应不符合 SSH 协议。',
  },
  connect_desktop_error: {
    en: '{host} did not answer like a {protocol} server.',
    zh: '{host} 的响应不符合 {protocol} 协议。',
  },
  connect_app_program: {
    en: '{name} cannot be started: its path and parameters are too long, or contain line breaks. An administrator can shorten them.',
    zh: '无法启动 {name}：其路径和参数过长，或包含换行符。请联系管理员缩短。',
  },
  connect_desktop_sign_in: {
    en: '{host} offers no sign-in method that Sallyport supports for {protocol}.',
    zh: '{host} 未提供 Sallyport 支持的 {protocol} 认证方式。',
  },
  connect_rdp_no_nla: {
    en: '{host} does not offer network level authentication (NLA), the only security that the platform of the asset allows. Allow TLS in the platform, or turn on NLA at the server.',
    zh: '{host} 不提供网络级别身份验证（NLA），而资产的系统平台只允许 NLA。请在系统平台中允许 TLS，或在服务器上启用 NLA。',
  },
  connect_rdp_no_tls: {
    en: '{host} offers RDP without TLS only, which protects neither passwords nor pictures. Turn on TLS or network level authentication (NLA) at the server.',
    zh: '{host} 仅提供不带 TLS 的 RDP，无法保护密码和画面。请在服务器上启用 TLS 或网络级别身份验证（NLA）。',
  },
  connect_desktop_open: {
    en: '{host} has no password, so anyone who can reach it can use it. Set a password on the server, or ask an administrator to allow this in the system user.',
    zh: '{host} 未设置密码，任何能访问它的人都可以使用。请在服务器上设置密码，或由管理员在系统用户中允许。',
  },
  connect_desktop_unchecked: {
    en: '{host} presents no certificate, so Sallyport cannot verify its identity. Give the server a certificate (X509Vnc). If it had one before, the connection may be intercepted.',
    zh: '{host} 未出示证书，无法确认对方身份。请为服务器配置证书（X509Vnc）；如果之前有证书，连接可能已被劫持。',
  },
  connect_desktop_busy: {
    en: '{host} rejects sign-ins for now, possibly after too many failures.',
    zh: '{host} 暂时不接受登录，可能是失败次数过多。',
  },
  desktop_unknown_data: {
    en: 'The server sent data that Sallyport does not support, so the session was closed.',
    zh: '服务器发送了不支持的数据，会话已关闭。',
  },
  desktop_wrong_input: {
    en: 'The page sent data that Sallyport does not support, so the session was closed.',
    zh: '页面发送了不支持的数据，会话已关闭。',
  },
  desktop_file_size: {
    en: 'The desktop clipboard cannot transfer files larger than 2 GiB.',
    zh: '大于 2 GiB 的文件无法通过桌面剪贴板传输。',
  },
  session_limit: {
    en: 'You already have {max, plural, one {# session} other {# sessions}} open, the maximum. Close one first.',
    zh: '您已打开 {max} 个会话，已达上限，请先关闭其中一个。',
  },
  session_watch_ended: { en: 'You may no longer watch this session.', zh: '您已无权监控此会话。' },
  watch_limit: {
    en: 'Too many users are watching this session already.',
    zh: '监控此会话的人数已达上限。',
  },
  invitation_off: {
    en: 'Invitations into sessions are switched off.',
    zh: '邀请他人加入会话的功能已关闭。',
  },
  invitation_limit: {
    en: 'At most {open} invitations can be open at a time, and {max} in total.',
    zh: '同时有效的邀请最多 {open} 个，总数最多 {max} 个。',
  },
  invitation_unknown: {
    en: 'This invitation does not exist, has ended, or leads to an asset or account that you have no permission for.',
    zh: '该邀请不存在、已结束，或您没有其资产和账号的授权。',
  },
  invitation_expired: { en: 'This invitation has expired.', zh: '该邀请已过期。' },
  invitation_ended: { en: 'The host ended your visit.', zh: '操作者已结束您的访问。' },
  invitation_taken: {
    en: 'Another user has already used this invitation.',
    zh: '该邀请已被他人使用。',
  },
  invitation_for_another: {
    en: 'This invitation is for another user.',
    zh: '该邀请是发给其他用户的。',
  },
  socket_limit: {
    en: 'You have too many connections open. Close some first.',
    zh: '您打开的连接过多，请先关闭一些。',
  },
  session_terminated: {
    en: 'An administrator ended this session: {who}.{why}',
    zh: '管理员 {who} 终断了此会话。{why}',
  },
  session_idle: {
    en: 'The session was idle for more than {minutes, plural, one {# minute} other {# minutes}} and was closed.',
    zh: '空闲时间超过 {minutes} 分钟，连接已断开。',
  },
  session_too_long: {
    en: 'The session reached its maximum duration of {hours, plural, one {# hour} other {# hours}}.',
    zh: '会话已达到最长时限 {hours} 小时。',
  },
  session_signed_out: {
    en: 'You have signed out, so the session was closed.',
    zh: '您已退出登录，会话已关闭。',
  },
  session_recording_failed: {
    en: 'The session cannot be recorded, so it was closed.',
    zh: '会话无法录像，已被关闭。',
  },
  command_denied: {
    en: 'The command filter "{filter}" does not allow this: {rule}',
    zh: '命令过滤器“{filter}”禁止执行：{rule}',
  },
  command_denied_because: {
    en: '{message} (The command filter "{filter}" does not allow this: {rule})',
    zh: '{message}（命令过滤器“{filter}”禁止执行：{rule}）',
  },
  command_unread: {
    en: 'Sallyport could not read this line, so it was not run. Type it again without history or completion.',
    zh: '无法读取该命令行，因此没有执行。请重新完整输入，不要使用历史或补全。',
  },
  command_uncertain: {
    en: 'Sallyport could not read this line with certainty, so it was not run: it was edited and has characters, such as emoji, whose width programs disagree about. Type it again without editing it.',
    zh: '无法准确读取该命令行，因此没有执行：其中含有各程序显示宽度不一致的字符（如表情符号），并且经过编辑。请重新输入，输入过程中不要编辑。',
  },
  transfer_denied: {
    en: 'Your permission does not include: {action}.',
    zh: '您的授权不包含：{action}。',
  },
  zmodem_checked: {
    en: 'rz and sz are not available here: commands of this account are checked, or a second person watches. Use SFTP or the file manager.',
    zh: '此处不能使用 rz 和 sz：该账号的命令受检查，或会话需双人监督。请使用 SFTP 或文件管理器。',
  },
  factor_needed: {
    en: 'This connection requires a second factor verified in the last {minutes} min. Connect with a terminal (ssh -t) and enter the code, or sign in again with your second factor.',
    zh: '该连接要求在最近 {minutes} 分钟内通过双重认证。请使用终端连接（ssh -t）后输入验证码，或使用双重认证重新登录。',
  },
  factor_missing: {
    en: 'This connection asks for a code, but your account has no authenticator. Set one up in your profile. If you have a passkey, verify it there and connect again.',
    zh: '该连接要求输入验证码，但您的账号没有设置身份验证器。请在个人信息页设置；有通行密钥的用户也可以在那里验证后重新连接。',
  },
  forward_elsewhere: {
    en: 'You can forward to ports of the server itself only, not to {host}.',
    zh: '只能转发到服务器自身的端口，不能转发到 {host}。',
  },
  shell_unguarded: {
    en: 'Command filters apply to this account, and a shell without a terminal cannot be filtered. Connect with a terminal (ssh -t), or give the command.',
    zh: '该账号启用了命令过滤，无法过滤没有终端的 Shell。请使用终端连接（ssh -t），或指明要执行的命令。',
  },
  command_not_allowed: {
    en: 'This command is not allowed for this account.',
    zh: '此账号不允许执行该命令。',
  },
  database_unsafe_value: {
    en: 'Clients cannot use this database: {field} begins with a hyphen or has control characters. Ask an administrator to change it.',
    zh: '客户端无法使用该数据库：{field}以 - 开头或包含控制字符。请联系管理员修改。',
  },
  notice_check_failed: {
    en: 'Sallyport cannot check your permission because of an internal error. Your session continues for up to {seconds, plural, one {# second} other {# seconds}} and ends then unless a check succeeds. Save your work.',
    zh: '系统发生内部错误，无法检查您的授权。会话最多继续 {seconds} 秒，届时仍无法检查则会话将结束。请保存您的工作。',
  },
  notice_check_works: {
    en: 'Sallyport can check your permission again. Your session continues as usual.',
    zh: '系统已恢复检查您的授权，会话继续正常使用。',
  },
} as const satisfies Readonly<Record<string, LocalText>>;
