import { catalogue } from '../../../kit/i18n/index.ts';

/** The words of jobs. */
export const words = catalogue({
  progress: { zh: '进度', en: 'Progress' },
  progressOf: { zh: '{done, number} / {total, number}', en: '{done, number} of {total, number}' },
  log: { zh: '日志', en: 'Log' },
  zone: { zh: '时间为 {zone}', en: 'Times are in {zone}' },
  emptyLog: { zh: '暂无日志', en: 'The log is empty.' },
  cancel: { zh: '取消任务', en: 'Cancel the job' },
  cancelQuestion: { zh: '确定要取消任务“{title}”吗？', en: 'Cancel the job "{title}"?' },
  canceled: { zh: '任务已取消', en: 'The job was canceled' },
  retry: { zh: '重新运行', en: 'Run again' },
  detail: { zh: '任务详情', en: 'Job' },
  server: { zh: '系统', en: 'Server' },
  go: { zh: '执行', en: 'Go' },
});
