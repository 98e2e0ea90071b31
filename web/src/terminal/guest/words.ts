import { catalogue } from '../../kit/i18n/index.ts';

/** Words of a guest's window. */
export const words = catalogue({
  title: { zh: '受邀会话', en: 'Shared session' },
  watching: { zh: '正在观看', en: 'Watching' },
  typing: { zh: '可以输入', en: 'You may type' },
  watchingHint: {
    zh: '您看到的画面与操作者一致，您的按键不会发送。',
    en: 'You see the same screen as the host. Your keys are not sent.',
  },
  typingHint: {
    zh: '您的按键会发送到服务器，并以您的名字记录。',
    en: 'Your keystrokes go to the server and are recorded under your name.',
  },
  screen: { zh: '{user} 的终端', en: 'Terminal of {user}' },
  opening: { zh: '正在打开邀请', en: 'Opening the invitation' },
  joining: { zh: '正在进入会话', en: 'Joining the session' },
  refused: { zh: '无法打开此邀请', en: 'The invitation cannot be opened' },
  noSecret: {
    zh: '链接不完整，请向邀请您的用户重新索取。',
    en: 'The link is incomplete. Ask the user who invited you for a new link.',
  },
  ended: { zh: '访问已结束', en: 'Your visit has ended' },
  lost: { zh: '与堡垒机的连接中断', en: 'Connection to Sallyport lost' },
  lostHint: { zh: '会话可能仍在进行。', en: 'The session may still be running.' },
  again: { zh: '重新进入', en: 'Join again' },
});
