import { catalogue } from '../../kit/i18n/index.ts';

/** Words of watching a live session. */
export const words = catalogue({
  title: { zh: '监控会话', en: 'Watching' },
  watching: { zh: '正在监控', en: 'Watching' },
  readOnly: { zh: '只读', en: 'Read-only' },
  readOnlyHint: {
    zh: '您看到的画面与操作者一致，您的按键不会发送。',
    en: 'You see the same screen as the user. Your keys are not sent.',
  },
  from: { zh: '来自 {address}', en: 'from {address}' },
  since: { zh: '开始于 {time}', en: 'since {time}' },
  terminate: { zh: '终断', en: 'Terminate' },
  terminateTitle: { zh: '终断此会话？', en: 'Terminate this session?' },
  terminateText: {
    zh: '{user} 与 {asset} 的连接会立即断开，{user} 会看到会话由您终断。',
    en: 'This disconnects {user} from {asset} immediately. {user} sees that you ended the session.',
  },
  reason: { zh: '原因（可选）', en: 'Reason (optional)' },
  reasonHint: {
    zh: '用户会看到该原因，并记入操作日志。',
    en: 'The user sees the reason, and the operation log records it.',
  },
  alsoDisable: { zh: '同时禁用用户 {user}', en: 'Also disable the user {user}' },
  terminated: {
    zh: '终断任务已下发，请稍后刷新查看',
    en: 'The session is being terminated. Refresh later to see the result.',
  },
  connecting: { zh: '正在进入会话', en: 'Joining the session' },
  ended: { zh: '会话已结束', en: 'The session has ended' },
  endedHint: { zh: '屏幕保留最后的画面。', en: 'The last screen stays visible.' },
  lost: { zh: '与堡垒机的连接中断', en: 'Connection to Sallyport lost' },
  lostHint: { zh: '会话可能仍在进行。', en: 'The session may still be running.' },
  again: { zh: '重新进入', en: 'Join again' },
  replay: { zh: '查看录像', en: 'Open the recording' },
  size: { zh: '终端大小', en: 'Terminal size' },
});
