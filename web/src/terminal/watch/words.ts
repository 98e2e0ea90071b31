import { catalogue } from '../../kit/i18n/index.ts';

/** Words of watching a live session. */
export const words = catalogue({
  title: { zh: '监控会话', en: 'Watching' },
  watching: { zh: '正在监控', en: 'Watching' },
  readOnly: { zh: '只读', en: 'Read-only' },
  readOnlyHint: {
    zh: '您看到的内容与操作者一致；您的按键不会发送。',
    en: 'You see what the person sees. Your keys are not sent.',
  },
  from: { zh: '来自 {address}', en: 'from {address}' },
  since: { zh: '开始于 {time}', en: 'since {time}' },
  terminate: { zh: '终止', en: 'Terminate' },
  terminateTitle: { zh: '终止此会话？', en: 'Terminate this session?' },
  terminateText: {
    zh: '{user} 与 {asset} 的连接会立即断开，对方会看到是您终止的。',
    en: 'This disconnects {user} from {asset} immediately. They will see that you ended it.',
  },
  reason: { zh: '原因（可选）', en: 'Reason (optional)' },
  reasonHint: {
    zh: '对方会看到，并记入操作日志。',
    en: 'The user sees it, and the operation log keeps it.',
  },
  alsoDisable: { zh: '同时禁用用户 {user}', en: 'Also disable the user {user}' },
  terminated: {
    zh: '终断任务已下发，请稍后刷新查看',
    en: 'Terminate task has been send, Please check later',
  },
  connecting: { zh: '正在进入会话', en: 'Joining the session' },
  ended: { zh: '会话已结束', en: 'The session has ended' },
  endedHint: { zh: '屏幕保留最后的画面。', en: 'The screen keeps the last picture.' },
  lost: { zh: '与堡垒机的连接中断', en: 'Connection to Sallyport lost' },
  lostHint: { zh: '会话可能仍在进行。', en: 'The session may still be running.' },
  again: { zh: '重新进入', en: 'Join again' },
  replay: { zh: '查看录像', en: 'Open the recording' },
  size: { zh: '终端大小', en: 'Terminal size' },
});
