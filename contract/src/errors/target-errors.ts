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
} as const satisfies Record<string, LocalText>;
