import type { LocalText } from '../kit/text.ts';

/** Reasons with which a target ends a session, or never begins one. */
export const TARGET_ERRORS = {
  connect_target_closed: { en: 'The server closed the session.', zh: '服务器已关闭会话。' },
  connect_target_lost: {
    en: 'The connection to the server was lost.',
    zh: '与服务器的连接已断开。',
  },
  connect_target_flooded: {
    en: 'The server sent more data than requested, so the session was closed.',
    zh: '服务器发送的数据超出允许的范围，会话已关闭。',
  },
  connect_target_broke: {
    en: 'The server did not follow its protocol, so the session was closed.',
    zh: '服务器发送的数据不符合协议，会话已关闭。',
  },
  connect_no_picture: {
    en: '{host} accepted the connection and sent no picture in time.',
    zh: '{host} 接受了连接，但在规定时间内没有发送画面。',
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
    en: 'The statement could not be canceled, because the database accepts no second connection. It may still run.',
    zh: '无法取消该语句：数据库未接受第二个连接。语句可能仍在运行。',
  },
} as const satisfies Record<string, LocalText>;
