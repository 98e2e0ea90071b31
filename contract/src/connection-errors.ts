import type { LocalText } from './kit/text.ts';

/** Errors of connections to servers and of the sessions over them. */
export const CONNECTION_ERRORS = {
  connect_denied: {
    en: 'You have no permission to connect to this asset with this account.',
    zh: '您没有权限使用该账号连接此资产。',
  },
  connect_expired: {
    en: 'Your permission for this asset has ended.',
    zh: '您对该资产的授权已到期。',
  },
  connect_asset_inactive: { en: 'This asset is disabled.', zh: '该资产已被禁用。' },
  app_not_granted: {
    en: 'The application is not granted with this system user.',
    zh: '未授权使用该系统用户访问此应用。',
  },
  connect_no_account: {
    en: 'No system user is granted for this asset.',
    zh: '该主机没有授权系统用户。',
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
  connect_host_key: {
    en: 'The host key of {host} has changed. The connection was refused; an administrator can review and accept the new key.',
    zh: '{host} 的主机密钥已变更，连接已被拒绝；管理员可以核对并接受新的密钥。',
  },
  connect_target_closed: { en: 'The server closed the session.', zh: '服务器已关闭会话。' },
  connect_target_lost: {
    en: 'The connection to the server was lost.',
    zh: '与服务器的连接已断开。',
  },
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
  connect_certificate: {
    en: '{host} did not prove its identity by a valid certificate.',
    zh: '{host} 未能提供有效的证书证明其身份。',
  },
  connect_database: {
    en: 'The database at {host} refused the connection ({code}).',
    zh: '{host} 的数据库拒绝了连接（{code}）。',
  },
  connect_database_missing: {
    en: 'There is no database of this name at {host} ({code}).',
    zh: '{host} 上没有该名称的数据库（{code}）。',
  },
  connect_protocol_error: {
    en: '{host} did not answer like an SSH server.',
    zh: '{host} 的 SSH 协议交互异常。',
  },
  connect_desktop_error: {
    en: '{host} did not answer like a {protocol} server.',
    zh: '{host} 的 {protocol} 协议交互异常。',
  },
  connect_app_program: {
    en: '{name} cannot be started: its path and parameters are too long, or contain line breaks. An administrator can shorten them.',
    zh: '无法启动 {name}：其路径和参数过长，或包含换行符。请联系管理员缩短。',
  },
  connect_desktop_sign_in: {
    en: '{host} offers no way to sign in that Sallyport can use for {protocol}.',
    zh: '{host} 未提供 Sallyport 支持的 {protocol} 认证方式。',
  },
  connect_desktop_open: {
    en: '{host} asks for no password: everybody who reaches it can use it. Set a password on the server, or let an administrator allow it in the system user.',
    zh: '{host} 未设置密码，任何能访问它的人都可以使用。请在服务器上设置密码，或由管理员在系统用户中允许。',
  },
  connect_desktop_unchecked: {
    en: '{host} shows no certificate, so nobody can tell who answers. Give the server a certificate (X509Vnc); where it had one before, somebody may be in between.',
    zh: '{host} 未出示证书，无法确认对方身份。请为服务器配置证书（X509Vnc）；如果之前有证书，连接可能已被劫持。',
  },
  connect_desktop_busy: {
    en: '{host} accepts no sign-in at the moment, perhaps because too many have failed.',
    zh: '{host} 暂时不接受登录，可能是失败次数过多。',
  },
  desktop_unknown_data: {
    en: 'The server sent something that Sallyport does not pass on, so the session was closed.',
    zh: '服务器发送了无法识别的数据，会话已关闭。',
  },
  desktop_wrong_input: {
    en: 'The page sent something that Sallyport does not pass on, so the session was closed.',
    zh: '页面发送了无法识别的数据，会话已关闭。',
  },
  desktop_file_size: {
    en: 'Files of more than 2 GiB do not pass the clipboard of a desktop.',
    zh: '大于 2 GiB 的文件无法通过桌面剪贴板传输。',
  },
  session_limit: {
    en: 'You already have {max, plural, one {# session} other {# sessions}} open, the most allowed. Close one first.',
    zh: '您已打开 {max} 个会话，已达上限，请先关闭其中一个。',
  },
  session_watch_ended: { en: 'You may no longer watch this session.', zh: '您已无权监控此会话。' },
  watch_limit: {
    en: 'Too many people are watching this session already.',
    zh: '监控此会话的人数已达上限。',
  },
  invitation_off: {
    en: 'Invitations into sessions are switched off.',
    zh: '邀请他人加入会话的功能已关闭。',
  },
  invitation_limit: {
    en: 'At most {open} open invitations, {max} in all.',
    zh: '最多 {open} 个有效邀请，共 {max} 个。',
  },
  invitation_unknown: {
    en: 'This invitation does not exist or has ended.',
    zh: '该邀请不存在或已结束。',
  },
  invitation_expired: { en: 'This invitation has expired.', zh: '该邀请已过期。' },
  invitation_ended: { en: 'The host ended your visit.', zh: '会话的主人结束了您的访问。' },
  invitation_taken: { en: 'Somebody else has used this invitation.', zh: '该邀请已被他人使用。' },
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
    zh: '管理员 {who} 终止了此会话。{why}',
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
  command_unread: {
    en: 'This line could not be read, so it was not run. Type it again without recalling or completing it.',
    zh: '无法读取该命令行，因此没有执行。请重新完整输入，不要使用历史或补全。',
  },
  transfer_denied: {
    en: 'Your permission does not include: {action}.',
    zh: '您的授权不包含：{action}。',
  },
  factor_needed: {
    en: 'This connection needs a second factor that was proved in the last {minutes} min. Connect with a terminal (ssh -t), which asks for it, or sign in again with it.',
    zh: '该连接要求在最近 {minutes} 分钟内通过双重认证。请使用终端连接（ssh -t）后输入验证码，或使用双重认证重新登录。',
  },
  factor_missing: {
    en: 'This connection asks for a code, and your account has no authenticator. Set one up in your profile; who has a passkey can also prove it there and connect again.',
    zh: '该连接要求输入验证码，但您的账号没有设置身份验证器。请在个人信息页设置；有通行密钥的用户也可以在那里验证后重新连接。',
  },
  forward_elsewhere: {
    en: 'Only ports of the server itself can be reached, not {host}.',
    zh: '只能转发到服务器自身的端口，不能转发到 {host}。',
  },
  shell_unguarded: {
    en: 'Command filters apply to this account, and a shell without a terminal cannot be filtered. Connect with a terminal (ssh -t), or name the command.',
    zh: '该账号启用了命令过滤，无法过滤没有终端的 Shell。请使用终端连接（ssh -t），或指明要执行的命令。',
  },
  transfer_unreadable: {
    en: 'This file transfer does not follow its protocol, so it was ended.',
    zh: '文件传输不符合协议，已终止。',
  },
  files_not_offered: {
    en: '{host} does not offer file transfer (SFTP).',
    zh: '{host} 未提供文件传输（SFTP）。',
  },
  file_root: {
    en: 'The folder of this account for files is not on the server: {path}. An administrator sets it as SFTP root of the system user.',
    zh: '服务器上不存在此账号的文件根目录：{path}。管理员可在系统用户的“SFTP 根路径”中设置。',
  },
  file_not_found: { en: 'There is no such file or folder.', zh: '文件或文件夹不存在。' },
  file_exists: {
    en: 'There is a file or folder of this name already.',
    zh: '同名的文件或文件夹已存在。',
  },
  file_denied: {
    en: 'The server does not allow this account to do that.',
    zh: '服务器不允许该账号执行此操作。',
  },
  file_outside: {
    en: 'This leads out of the folder that the account may use.',
    zh: '该路径超出了此账号可以使用的目录。',
  },
  file_name: {
    en: 'This name or path is not possible on the server.',
    zh: '该名称或路径在服务器上不可用。',
  },
  file_kind: {
    en: 'This is not the kind of file that this can be done with.',
    zh: '该类型的文件不支持此操作。',
  },
  file_failed: { en: 'The server could not do this.', zh: '服务器未能完成此操作。' },
  file_limit: {
    en: 'Too much at once. Close some files first.',
    zh: '同时打开的文件过多，请先关闭一些。',
  },
  file_folder_full: {
    en: 'The folder has more than {max} entries.',
    zh: '文件夹中的条目超过 {max} 个。',
  },
  file_size: {
    en: 'The file that arrived does not have the size that was announced.',
    zh: '收到的文件大小与声明的不一致。',
  },
  file_incomplete: {
    en: 'The transfer ended before the file was complete.',
    zh: '传输在文件完整之前中断。',
  },
  files_not_connected: {
    en: 'The connection for files is closed. Connect again.',
    zh: '文件连接已断开，请重新连接。',
  },
  file_changed: {
    en: 'The file has changed on the server since it was opened.',
    zh: '文件打开之后在服务器上已被修改。',
  },
  file_not_text: {
    en: 'The file is not text that can be shown here.',
    zh: '该文件不是可以在此显示的文本。',
  },
  file_charset: {
    en: 'The text has characters that {charset} cannot write.',
    zh: '文本中有 {charset} 无法表示的字符。',
  },
  file_offset: { en: 'The upload goes on at byte {offset}.', zh: '请从第 {offset} 字节继续上传。' },
  file_range: {
    en: 'The file does not have that range of bytes.',
    zh: '文件没有所请求的字节范围。',
  },
  file_chosen: { en: 'Choose between 1 and {max} files.', zh: '请选择 1 到 {max} 个文件。' },
  command_not_allowed: {
    en: 'It is not among the commands that are allowed for this account.',
    zh: '该命令不在此账号允许的命令之列。',
  },
  command_not_plain: {
    en: 'Only plain commands run here: operators, variables, patterns and control characters must be in quotes, or left out.',
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
  command_execution_off: { en: 'Batch commands are switched off.', zh: '批量命令功能已关闭。' },
  command_hosts_denied: {
    en: 'You may not connect to {hosts} with this system user.',
    zh: '没有该主机 {hosts} 的权限。',
  },
  command_protocol: {
    en: 'Commands run over SSH only, not with {protocol}.',
    zh: '仅支持通过 SSH 执行命令，不支持 {protocol}。',
  },
  command_no_login: {
    en: 'This system user has no stored credentials.',
    zh: '该系统用户没有保存登录凭据。',
  },
  command_ran: { en: 'This batch command has been run already.', zh: '该批量命令已经执行过。' },
  command_executions_limit: {
    en: 'At most {max} of your batch commands may wait or run at a time.',
    zh: '同时等待或运行的批量命令不能超过 {max} 个。',
  },
  command_too_many_failures: {
    en: 'Stopped: more than {limit} % of the servers failed.',
    zh: '已停止：失败的服务器超过 {limit}%。',
  },
  command_canceled: { en: 'The batch command was canceled.', zh: '批量命令已取消。' },
  command_interrupted: { en: 'The batch command was interrupted.', zh: '批量命令已中断。' },
  command_status: { en: 'The command ended with status {status}.', zh: '命令退出码为 {status}。' },
  command_signal: { en: 'A signal ended the command.', zh: '命令被信号终止。' },
  command_refused: { en: 'The command was not run: {message}', zh: '命令未执行：{message}' },
  database_manual: {
    en: 'This system user has no stored password. Connect in the browser, which asks for it.',
    zh: '该系统用户没有保存密码，请在浏览器中连接并输入密码。',
  },
  database_upload: {
    en: 'Your permission does not include sending files to this database.',
    zh: '您的授权不包含向该数据库上传文件。',
  },
  database_download: {
    en: 'Your permission does not include saving data of this database to files.',
    zh: '您的授权不包含从该数据库导出文件。',
  },
  database_command: {
    en: 'Sallyport does not pass on this command of the protocol.',
    zh: 'Sallyport 不转发该协议命令。',
  },
  database_call: {
    en: 'Sallyport passes calls of functions by number (FunctionCall) for large objects only. Call the function in a statement.',
    zh: 'Sallyport 只转发大对象函数的按编号调用（FunctionCall）。请在语句中调用该函数。',
  },
  database_client: {
    en: 'The client sent what Sallyport could not read, so the session was closed.',
    zh: '客户端发送的数据无法解析，会话已关闭。',
  },
  database_protocol: {
    en: '{host} did not answer like a database of this type.',
    zh: '{host} 的数据库协议交互异常。',
  },
  database_listener_off: {
    en: 'Sallyport does not listen for clients of this kind of database.',
    zh: 'Sallyport 未启用该类数据库的客户端监听。',
  },
  statement_read_only: {
    en: 'You may only read in this database.',
    zh: '您在该数据库中仅有只读权限。',
  },
  statement_character_set: {
    en: 'Sallyport reads statements as UTF-8: the character set of the connection stays as it is.',
    zh: 'Sallyport 按 UTF-8 读取语句：不能更改连接的字符集。',
  },
  statement_not_utf8: {
    en: 'The statement is not valid UTF-8, so it was not run. Set the character set of your client to UTF-8.',
    zh: '语句不是有效的 UTF-8，因此没有执行。请将客户端字符集设置为 UTF-8。',
  },
  database_character_set: {
    en: 'The database changed the character set of the connection, so the session was closed.',
    zh: '数据库更改了连接的字符集，会话已关闭。',
  },
  statement_too_long: {
    en: 'This text is longer than {max} KiB, so it was not run.',
    zh: '内容超过 {max} KiB，因此没有执行。',
  },
  statement_undecided: {
    en: 'A rule decides on statements of up to {max} KiB, and this text is longer, so it was not run. Send large values as parameters.',
    zh: '规则只能判断不超过 {max} KiB 的语句，该内容更长，因此没有执行。请用参数发送大的值。',
  },
  statement_asks: {
    en: '{message} A rule asks before this statement runs, and a client cannot be asked. Run it in the browser: My databases, Connect.',
    zh: '{message} 规则要求先确认该语句，而客户端无法确认。请在浏览器中执行：我的数据库，连接。',
  },
  statement_busy: { en: 'Something else still runs.', zh: '还有其他操作正在执行。' },
  statement_quotes: { en: 'A quote is not closed.', zh: '引号没有闭合。' },
  statement_not_here: { en: 'This command cannot be used here.', zh: '此处不能使用该命令。' },
  command_not_checked: {
    en: 'The command could not be checked, so it was not run.',
    zh: '命令未能通过检查，因此没有执行。',
  },
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
  session_server_stopping: {
    en: 'Sallyport is stopping; the session was closed.',
    zh: 'Sallyport 正在停止，会话已关闭。',
  },
  session_interrupted: {
    en: 'The bastion could not reach its database for a while, so the session was closed.',
    zh: '堡垒机暂时无法连接数据库，会话已关闭。',
  },
  session_database_away: {
    en: 'The bastion cannot reach its database; the session was ended for safety.',
    zh: '堡垒机无法访问数据库，为安全起见，会话已结束。',
  },
  connect_database_away: {
    en: 'The bastion cannot reach its database, so no new session can be opened. Try again in a few minutes.',
    zh: '堡垒机无法访问数据库，暂时不能打开新会话，请几分钟后重试。',
  },
  notice_database_away: {
    en: 'The bastion cannot reach its database. Your session continues for up to {seconds, plural, one {# second} other {# seconds}} and ends then unless the database returns. Save your work.',
    zh: '堡垒机无法访问数据库。会话最多继续 {seconds} 秒，届时数据库仍未恢复则会话将结束。请保存您的工作。',
  },
  notice_database_back: {
    en: 'The bastion reaches its database again. Your session continues as usual.',
    zh: '堡垒机已恢复与数据库的连接，会话继续正常使用。',
  },
  session_finished: { en: 'The session has ended.', zh: '会话已结束。' },
  session_left: {
    en: 'The browser was gone for more than {minutes, plural, one {# minute} other {# minutes}}, so the session was closed.',
    zh: '浏览器断开超过 {minutes} 分钟，会话已关闭。',
  },
  session_moved: {
    en: 'This session continues in another window.',
    zh: '此会话已在另一个窗口中继续。',
  },
  session_gone: { en: 'The session is not open any more.', zh: '会话已不存在。' },
  session_not_watchable: {
    en: 'The session has ended or cannot be watched.',
    zh: '会话已经结束或不支持监控。',
  },
  replay_missing: {
    en: 'There is no recording of this session: {reason}',
    zh: '没有找到录像文件：{reason}',
  },
} as const satisfies Readonly<Record<string, LocalText>>;
