import type { LocalText } from '../kit/text.ts';

/** Errors of commands, statements and recordings in sessions, and notices to their users. */
export const SESSION_ERRORS = {
  command_not_plain: {
    en: 'Only plain commands run here. Quote or remove operators, variables, patterns and control characters.',
    zh: '此处只能执行普通命令：运算符、变量、通配符须加引号，不允许控制字符。',
  },
  command_quote_open: { en: 'A quote is not closed.', zh: '引号没有闭合。' },
  command_empty: { en: 'The command is empty.', zh: '命令为空。' },
  command_long: { en: 'The command is too long.', zh: '命令过长。' },
  account_enforced: {
    en: 'This account may run allowed commands only.',
    zh: '该账号只能执行允许的命令。',
  },
  account_rules_changed: {
    en: 'The allowed commands of this account have changed. Connect again.',
    zh: '该账号允许的命令已变更，请重新连接。',
  },
  command_execution_off: { en: 'Batch commands are switched off.', zh: '批量命令功能已关闭。' },
  command_hosts_denied: {
    en: 'You may not connect to {hosts} with this system user.',
    zh: '您无权使用该系统用户连接 {hosts}。',
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
    en: 'Stopped: more than {limit}% of the servers failed.',
    zh: '已停止：失败的服务器超过 {limit}%。',
  },
  command_canceled: { en: 'The batch command was canceled.', zh: '批量命令已取消。' },
  command_interrupted: { en: 'The batch command was interrupted.', zh: '批量命令已中断。' },
  command_status: { en: 'The command ended with status {status}.', zh: '命令退出码为 {status}。' },
  command_signal: { en: 'A signal ended the command.', zh: '命令被信号终止。' },
  command_refused: { en: 'The command was not run: {message}', zh: '命令未执行：{message}' },
  database_manual: {
    en: 'This system user has no stored password. Connect in the browser and enter it there.',
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
    en: 'Sallyport does not support this protocol command.',
    zh: 'Sallyport 不支持该协议命令。',
  },
  database_call: {
    en: 'Sallyport supports FunctionCall messages for large objects only. Call the function in a statement.',
    zh: 'Sallyport 只支持对大对象函数使用 FunctionCall 消息。请在语句中调用该函数。',
  },
  database_client: {
    en: 'The client sent data that Sallyport could not parse, so the session was closed.',
    zh: '客户端发送的数据无法解析，会话已关闭。',
  },
  database_protocol: {
    en: '{host} did not answer like a database of this type.',
    zh: '{host} 的响应不符合该类数据库的协议。',
  },
  database_listener_off: {
    en: 'Sallyport has no client listener for this type of database.',
    zh: 'Sallyport 未启用该类数据库的客户端监听。',
  },
  command_warned: {
    en: 'The rule “{rule}” of the filter “{filter}” asks for care with this command.',
    zh: '命令过滤器“{filter}”的规则“{rule}”提示谨慎执行该命令。',
  },
  connect_approval_needed: {
    en: 'A reviewer must approve this connection, and this client cannot ask. Connect in the browser or an SSH terminal; an approval that is valid for some minutes then counts here, too.',
    zh: '该连接须经审批，但此客户端无法发起。请在浏览器或 SSH 终端中连接；若审批在一段时间内有效，届时此处也可使用。',
  },
  connect_approval_rejected: {
    en: '{by} rejected this connection.',
    zh: '{by} 拒绝了此连接。',
  },
  connect_approval_expired: {
    en: 'No reviewer decided in time, so the connection was refused.',
    zh: '审批人未在规定时间内处理，连接已被拒绝。',
  },
  connect_approval_withdrawn: {
    en: 'The request for this connection was withdrawn.',
    zh: '该连接的审批请求已撤回。',
  },
  connect_approval_nobody: {
    en: 'This connection needs an approval, but no other user can give it. Contact an administrator.',
    zh: '该连接须经审批，但没有其他用户可以审批，请联系管理员。',
  },
  connect_switch_terminal: {
    en: 'Sessions switch to this account after the sign-in. That is possible in terminals only.',
    zh: '该账号须在登录后切换，仅终端支持。',
  },
  connect_switch_secret: {
    en: 'The bastion has no password to switch to this account, or none to sign in before. Contact an administrator.',
    zh: '堡垒机中没有切换到该账号所需的密码，或没有登录账号的密码，请联系管理员。',
  },
  connect_switch_failed: {
    en: '{account} signed in, but the switch to {target} failed. Its password may be wrong, or the switch not allowed.',
    zh: '{account} 已登录，但切换到 {target} 失败：密码可能有误，或不允许切换。',
  },
  connect_second_person: {
    en: 'A second person must watch this access. That is possible in terminals only: connect in the browser or an SSH terminal.',
    zh: '此访问须由第二人监看，仅终端支持，请在浏览器或 SSH 终端中连接。',
  },
  connect_second_person_nobody: {
    en: 'A second person must watch this session, but no other user may. Contact an administrator.',
    zh: '此会话须由第二人监看，但没有其他用户有权监看，请联系管理员。',
  },
  connect_second_person_guest: {
    en: 'Your permission asks for a second person who watches; this session does not wait for the same reviewers. You cannot join it.',
    zh: '您的授权要求第二人监看，而此会话的审批人与其不同，无法加入。',
  },
  second_person_awaited: {
    en: 'This session waits for a second person: your input is not passed on until a reviewer watches.',
    zh: '此会话正在等待第二人：审批人开始监看前，您的输入不会发送。',
  },
  second_person_left: {
    en: '{who} no longer watches: your input is not passed on until a reviewer watches again.',
    zh: '{who} 已停止监看：审批人重新监看前，您的输入不会发送。',
  },
  second_person_watches: {
    en: '{who} watches this session: your input is passed on.',
    zh: '{who} 正在监看此会话，可以输入。',
  },
  second_person_free: {
    en: 'This session needs no second person any longer: your input is passed on.',
    zh: '此会话不再要求第二人监看，可以输入。',
  },
  ticket_command_over: {
    en: 'This command no longer waits: the user withdrew it, its session ended, or the time is over.',
    zh: '该命令已不再等待：用户已撤回、会话已结束，或已超时。',
  },
  statement_held: {
    en: '{message} The statement waits for a reviewer, at most {minutes, plural, one {# minute} other {# minutes}}.',
    zh: '{message} 该语句正在等待复核，最多 {minutes} 分钟。',
  },
  statement_hold_over: {
    en: 'The statement no longer waits for a reviewer.',
    zh: '该语句的复核已结束。',
  },
  command_asks: {
    en: '{message} This command needs a confirmation. Open a terminal and type it there.',
    zh: '{message} 该命令执行前需要确认，请打开终端并在其中输入。',
  },
  statement_asks: {
    en: '{message} This statement needs a confirmation, which a client cannot give. Run it in the browser: My databases, Connect.',
    zh: '{message} 该语句执行前需要确认，而客户端无法确认。请在浏览器中执行：我的数据库 › 连接。',
  },
  statement_busy: { en: 'Another operation is still running.', zh: '还有其他操作正在执行。' },
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
    en: 'Too little space, or no inode, is left for recordings, so no session can continue. Contact an administrator.',
    zh: '录像存储空间不足或 inode 已用尽，会话无法继续，请联系运维人员。',
  },
  session_disk_read_only: {
    en: 'The disk of recordings is read-only, so no session can continue. Contact an administrator.',
    zh: '录像磁盘处于只读状态，会话无法继续，请联系运维人员。',
  },
  session_disk_hanging: {
    en: 'The disk of recordings does not answer, so no session can continue. Contact an administrator.',
    zh: '录像磁盘没有响应，会话无法继续，请联系运维人员。',
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
  session_check_failed: {
    en: 'Sallyport could not check this permission because of an internal error, and closed the connection for safety. The log of the server has the cause.',
    zh: '系统发生内部错误，无法检查授权，为安全起见，连接已关闭。原因见服务器日志。',
  },
  connect_database_away: {
    en: 'The bastion cannot reach its database, so no new session can be opened. Try again in a few minutes.',
    zh: '堡垒机无法访问数据库，暂时不能打开新会话，请几分钟后重试。',
  },
  notice_permission_ends: {
    en: 'Your permission for this session ends in {seconds, plural, one {# second} other {# seconds}}. Finish and save your work.',
    zh: '您对此会话的授权将在 {seconds} 秒后失效，请尽快完成并保存工作。',
  },
  notice_permission_extended: {
    en: 'Your permission was extended. The session continues.',
    zh: '授权已延长，会话继续。',
  },
  command_approval: {
    en: 'A reviewer must approve each connection to this asset, so batch commands cannot use it. Connect in a terminal.',
    zh: '该资产的每次连接都须经审批，批量命令无法使用，请在终端中连接。',
  },
  command_switch: {
    en: 'Sessions switch to this account after the sign-in, which batch commands cannot do. Connect in a terminal.',
    zh: '该账号须在登录后切换，批量命令无法使用，请在终端中连接。',
  },
  command_second_person: {
    en: 'A second person must watch each session on this asset, so batch commands cannot use it. Connect in a terminal.',
    zh: '该资产的会话须由第二人监看，批量命令无法使用，请在终端中连接。',
  },
  notice_approval_waits: {
    en: 'This connection waits for a reviewer, at most two minutes.',
    zh: '该连接正在等待审批，最多两分钟。',
  },
  notice_approval_stage: {
    en: 'This connection waits for stage {stage} of {stages} of its approval.',
    zh: '该连接正在等待第 {stage} 级审批（共 {stages} 级）。',
  },
  notice_database_away: {
    en: 'The bastion cannot reach its database. Your session continues for up to {seconds, plural, one {# second} other {# seconds}} and ends then unless the database returns. Save your work.',
    zh: '堡垒机无法访问数据库。会话最多继续 {seconds} 秒，届时数据库仍未恢复则会话将结束。请保存您的工作。',
  },
  notice_database_back: {
    en: 'The bastion reaches its database again. Your session continues as usual.',
    zh: '堡垒机已恢复与数据库的连接，会话继续正常使用。',
  },
  input_locked: {
    en: '{who} locked this session: your input is not passed on.{why}',
    zh: '{who} 锁定了此会话，您的输入不会发送。{why}',
  },
  input_unlocked: {
    en: '{who} unlocked this session: your input is passed on again.',
    zh: '{who} 解除了会话锁定，可以继续输入。',
  },
  administrator_message: { en: 'Message from {who}: {text}', zh: '来自 {who} 的消息：{text}' },
  lock_of_desktop: {
    en: 'Desktops cannot be locked. End the session instead.',
    zh: '远程桌面不支持锁定，可终断会话。',
  },
  session_finished: { en: 'The session has ended.', zh: '会话已结束。' },
  session_left: {
    en: 'The browser was disconnected for more than {minutes, plural, one {# minute} other {# minutes}}, so the session was closed.',
    zh: '浏览器断开超过 {minutes} 分钟，会话已关闭。',
  },
  session_moved: {
    en: 'This session continues in another window.',
    zh: '此会话已在另一个窗口中继续。',
  },
  session_server_died: {
    en: 'The server that held this session stopped unexpectedly, so the session has ended. The recording up to that moment is kept.',
    zh: '承载该会话的服务器意外停止，会话已结束；截至该时刻的录像已保留。',
  },
  session_gone: { en: 'The session is no longer open.', zh: '会话已不存在。' },
  session_not_watchable: {
    en: 'The session has ended or cannot be watched.',
    zh: '会话已经结束或不支持监控。',
  },
  replay_missing: {
    en: 'This session has no recording: {reason}',
    zh: '没有找到录像文件：{reason}',
  },
  replay_away: {
    en: 'The recording of this session cannot be read now: {reason}.',
    zh: '暂时无法读取该会话的录像：{reason}。',
  },
  replay_unreadable: {
    en: 'The recording of this session cannot be opened: {reason}',
    zh: '无法打开该会话的录像：{reason}',
  },
} as const satisfies Readonly<Record<string, LocalText>>;
