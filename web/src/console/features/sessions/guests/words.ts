import { catalogue } from '../../../../kit/i18n/index.ts';

export const words = catalogue({
  title: { zh: '邀请与访客', en: 'Invitations and guests' },
  guest: { zh: '访客', en: 'Guest' },
  mayDo: { zh: '可以', en: 'Can' },
  invited: { zh: '邀请时间', en: 'Invited' },
  here: { zh: '在会话中', en: 'In the session' },
  state: { zh: '状态', en: 'State' },
  typed: { zh: '输入', en: 'type' },
  watched: { zh: '观看', en: 'watch' },
  anybody: { zh: '持有链接的人', en: 'Anyone with the link' },
  forUser: { zh: '邀请的用户：{name}', en: 'For the user {name}' },
  open: { zh: '无人使用', en: 'Not used yet' },
  joined: { zh: '在会话中', en: 'In the session' },
  left: { zh: '已离开', en: 'Left' },
  ended: { zh: '已结束', en: 'Ended' },
  sessionEnded: { zh: '会话已结束', en: 'The session ended.' },
  signedOut: { zh: '访客已退出登录', en: 'The guest signed out.' },
  byOwner: { zh: '会话的用户结束了邀请', en: 'The user of the session ended the invitation.' },
  permissionEnded: { zh: '访客的授权已结束', en: 'The permission of the guest ended.' },
  typedBy: { zh: '由 {names} 输入', en: 'Typed by {names}' },
});
