import { catalogue } from '../../../kit/i18n/index.ts';

/** The words of the session pages. */
export const words = catalogue({
  online: { zh: '在线会话', en: 'Online' },
  history: { zh: '历史会话', en: 'History' },
  id: { zh: 'ID', en: 'ID' },
  duration: { zh: '时长', en: 'Duration' },
  terminate: { zh: '终断', en: 'Terminate' },
  terminateQuestion: { zh: '您确定要终断 {user} 在 {asset} 上的会话吗?', en: 'Terminate the session of {user} on {asset}?' },
  terminateSelected: { zh: '终断所选', en: 'Terminate selected' },
  terminateMany: {
    zh: '您确定要终断所选的 {count, number} 个会话吗?',
    en: 'Terminate the {count, plural, one {selected session} other {# selected sessions}}?',
  },
  terminateSent: { zh: '终断任务已下发，请稍后刷新查看', en: 'Terminate task has been send, Please check later' },
  monitor: { zh: '监控', en: 'Monitor' },
  replay: { zh: '回放', en: 'Replay' },
  download: { zh: '下载', en: 'Download' },
  replayFromHere: { zh: '从此处回放', en: 'Replay from here' },
  replaySession: { zh: '回放会话', en: 'Replay session' },
  downloadReplay: { zh: '下载录像', en: 'Download replay' },
  terminateSession: { zh: '会话终断', en: 'Terminate session' },
  monitorSession: { zh: '监控会话', en: 'Monitor session' },
  go: { zh: '执行', en: 'Go' },
  sessionDetail: { zh: '会话详情', en: 'Session detail' },
  commands: { zh: '命令', en: 'Command' },
  goto: { zh: '转到', en: 'Goto' },
  noOutput: { zh: '没有输出', en: 'No output' },
  emptyOnline: { zh: '当前没有人在连接资产。', en: 'Nobody is connected to an asset now.' },
  emptyHistory: { zh: '所选时间内没有会话。', en: 'No session in this time.' },
  date: { zh: '日期', en: 'Date' },
  running: { zh: '进行中', en: 'running' },
});
