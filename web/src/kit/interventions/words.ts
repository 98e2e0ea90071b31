import { catalogue } from '../i18n/index.ts';

/** Words of locks and messages in a live session. */
export const words = catalogue({
  lock: { zh: '锁定', en: 'Lock' },
  lockTitle: { zh: '锁定此会话？', en: 'Lock this session?' },
  lockText: {
    zh: '{user} 在 {asset} 上的输入会停止发送，输出照常显示，直到您解除锁定。',
    en: 'The input of {user} on {asset} stops until you unlock the session. Output continues.',
  },
  reason: { zh: '原因（可选）', en: 'Reason (optional)' },
  reasonHint: {
    zh: '用户会在屏幕上看到该原因，并记入操作日志。',
    en: 'The user reads it on the screen, and the operation log records it.',
  },
  locked: { zh: '会话已锁定。', en: 'The session is locked.' },
  unlock: { zh: '解除锁定', en: 'Unlock' },
  unlocked: { zh: '已解除锁定。', en: 'The session is unlocked.' },
  message: { zh: '发送消息', en: 'Message' },
  messageTitle: { zh: '向 {user} 发送消息', en: 'Message to {user}' },
  messageText: {
    zh: '消息会显示在用户的屏幕上，并记入录像和操作日志。',
    en: 'The user reads it on the screen. The recording and the operation log keep it.',
  },
  messageLabel: { zh: '消息', en: 'Message' },
  send: { zh: '发送', en: 'Send' },
  sent: { zh: '消息已发送。', en: 'The message was sent.' },
  lockedBy: { zh: '{who} 已锁定', en: 'Locked by {who}' },
  waits: { zh: '等待第二人', en: 'Waits for a second person' },
  desktop: {
    zh: '远程桌面不支持锁定',
    en: 'Desktops cannot be locked',
  },
});
