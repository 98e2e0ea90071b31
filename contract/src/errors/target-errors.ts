import type { LocalText } from '../kit/text.ts';

/** Reasons with which a target ends a session, or never begins one. */
export const TARGET_ERRORS = {
  connect_target_closed: { en: 'The server closed the session.', zh: '服务器已关闭会话。' },
  connect_target_lost: {
    en: 'The connection to the server was lost.',
    zh: '与服务器的连接已断开。',
  },
  connect_target_disconnected: {
    en: 'The server ended the connection: {message}',
    zh: '服务器断开了连接：{message}',
  },
  connect_disconnected: {
    en: '{host} ended the connection before account {account} was signed in.',
    zh: '{host} 在账号 {account} 登录完成前断开了连接。',
  },
  connect_disconnected_words: {
    en: '{host} ended the connection before account {account} was signed in: “{words}”',
    zh: '{host} 在账号 {account} 登录完成前断开了连接：“{words}”',
  },
  connect_target_flooded: {
    en: 'The server sent more data than requested, so the session was closed.',
    zh: '服务器发送的数据超出允许的范围，会话已关闭。',
  },
  connect_target_broke: {
    en: 'The server did not follow its protocol, so the session was closed.',
    zh: '服务器发送的数据不符合协议，会话已关闭。',
  },
  connect_target_silent: {
    en: 'The server did not answer in time, so the session was closed.',
    zh: '服务器未在规定时间内应答，会话已关闭。',
  },
  connect_no_picture: {
    en: '{host} accepted the connection and sent no picture in time.',
    zh: '{host} 接受了连接，但在规定时间内没有发送画面。',
  },
  connect_rdp_no_bitmaps: {
    en: '{host} ended the session before it sent a picture. Servers that require the graphics pipeline or surface commands of RDP, such as GNOME Remote Desktop, KRDP and weston, cannot be shown yet. Use VNC there.',
    zh: '{host} 在发送画面之前结束了会话。要求 RDP 图形管道或 surface 命令的服务器（如 GNOME 远程桌面、KRDP、weston）暂时无法显示，请改用 VNC。',
  },
  connect_desktop_taken: {
    en: 'Another connection of this account took the desktop over. It continues there; reconnecting takes it back.',
    zh: '该账号的另一个连接接管了此桌面，桌面在那里继续；重新连接会将其收回。',
  },
  connect_desktop_logged_off: {
    en: 'The user was logged off at the desktop.',
    zh: '用户已在桌面上注销。',
  },
  connect_desktop_ended: {
    en: 'The server was told to end the session, by its administrator or a program.',
    zh: '服务器的管理员或程序结束了会话。',
  },
  connect_desktop_limit: {
    en: 'The server ended the session at its own limit of time or idle time.',
    zh: '会话达到服务器自身的时长或空闲限制，服务器已将其结束。',
  },
  connect_desktop_refused: {
    en: 'The server refused a desktop to this account. An administrator can allow it there.',
    zh: '服务器拒绝为此账号提供桌面，请由管理员在服务器上授权。',
  },
  connect_desktop_code: {
    en: 'The server ended the session with code {code} of RDP.',
    zh: '服务器以 RDP 代码 {code} 结束了会话。',
  },
  connect_desktop_words: {
    en: '{host} refused the connection: “{words}”',
    zh: '{host} 拒绝了连接：“{words}”',
  },
  connect_desktop_password: {
    en: '{host} asks for a password, but the system user has none. Enter it there.',
    zh: '{host} 要求密码，但系统用户没有密码。请在系统用户中填写。',
  },
  connect_rdp_negotiation: {
    en: '{host} refused the request for a connection with code {code} of RDP.',
    zh: '{host} 以 RDP 代码 {code} 拒绝了连接请求。',
  },
  connect_rdp_refused: {
    en: '{host} did not sign {account} in: {code}',
    zh: '{host} 未允许 {account} 登录：{code}',
  },
  connect_sign_in_closed: {
    en: '{host} closed the connection while {account} signed in, without a reason. Check name and password first.',
    zh: '{host} 在 {account} 登录时关闭了连接，且未说明原因。请先核对用户名和密码。',
  },
  connect_password_expired: {
    en: '{host} requires a new password for {account}: the old one has expired, or must be changed ({code}).',
    zh: '{host} 要求 {account} 更换密码：密码已过期，或必须修改（{code}）。',
  },
  connect_account_disabled: {
    en: 'The account {account} is disabled at {host} ({code}).',
    zh: '账号 {account} 在 {host} 上已禁用（{code}）。',
  },
  connect_account_expired: {
    en: 'The account {account} has expired at {host} ({code}).',
    zh: '账号 {account} 在 {host} 上已过期（{code}）。',
  },
  connect_account_locked: {
    en: 'The account {account} is locked at {host}, usually after wrong passwords ({code}).',
    zh: '账号 {account} 在 {host} 上已锁定，通常是因为多次输错密码（{code}）。',
  },
  connect_account_restricted: {
    en: '{host} knows {account}, but does not let it sign in now, from here, or in this way ({code}).',
    zh: '{host} 不允许账号 {account} 在当前时间、从此处或以此方式登录（{code}）。',
  },
  connect_desktop_license: {
    en: 'The server has no license for this connection.',
    zh: '服务器没有可用于此连接的许可证。',
  },
  connect_no_greeting: {
    en: '{host} accepted the connection and closed it before SSH began.',
    zh: '{host} 接受了连接，但在 SSH 握手开始前就关闭了。',
  },
  connect_no_commands: {
    en: '{host} accepted account {account} and runs no commands for it. A terminal or the file manager may work.',
    zh: '{host} 接受了账号 {account}，但不允许该账号执行命令。终端或文件管理可能可用。',
  },
  connect_no_terminal: {
    en: '{host} accepted account {account} and gives it no terminal. Commands or the file manager may work.',
    zh: '{host} 接受了账号 {account}，但未提供终端。执行命令或文件管理可能可用。',
  },
  connect_no_channel: {
    en: '{host} accepted account {account} and opens no session for it.',
    zh: '{host} 接受了账号 {account}，但拒绝为其打开会话。',
  },
  statement_not_canceled: {
    en: 'The statement could not be canceled, because the database accepts no second connection or does not know the session by its number, as behind a pooler. It may still run.',
    zh: '无法取消该语句：数据库未接受第二个连接，或无法按编号找到会话（例如经过连接池）。语句可能仍在运行。',
  },
  statement_not_stopped: {
    en: 'The database has not stopped the statement yet. Wait for it, or stop again to end the session.',
    zh: '数据库尚未停止该语句。可继续等待，或再次停止以结束会话。',
  },
  connect_database_full: {
    en: '{host} accepts no more connections ({code}). Try again later.',
    zh: '{host} 的连接数已达上限（{code}），请稍后再试。',
  },
  connect_database_starting: {
    en: 'The database at {host} is not ready: {code} {message}',
    zh: '{host} 的数据库尚未就绪：{code} {message}',
  },
  connect_redis_no_password: {
    en: '{host} has no password, but the system user has one. Clear it there, or set one at the server.',
    zh: '{host} 未设置密码，但系统用户保存了密码。请清除系统用户的密码，或在服务器上设置密码。',
  },
  connect_redis_protected: {
    en: '{host} runs in protected mode: it has no password and accepts local connections only. Set a password at the server.',
    zh: '{host} 处于保护模式：未设置密码，只接受本机连接。请在服务器上设置密码。',
  },
  connect_redis_silent: {
    en: '{host} closed the connection without an answer, as a port for TLS does. Turn on TLS for this database, or check the port.',
    zh: '{host} 未作响应即关闭了连接，TLS 端口通常如此。请为该数据库启用 TLS，或检查端口。',
  },
  connect_redis_select: {
    en: '{host} accepted {account} and refused database {database}: {code} {message}',
    zh: '{host} 接受了 {account}，但拒绝数据库 {database}：{code} {message}',
  },
} as const satisfies Record<string, LocalText>;
