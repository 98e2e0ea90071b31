import { catalogue } from '../../../kit/i18n/index.ts';

export const words = catalogue({
  timer: { zh: '定时执行', en: 'Schedule' },
  next: { zh: '后续执行时间', en: 'Next runs' },
  keepTitle: { zh: '每 {hours} 小时执行一次？', en: 'Run every {hours} hours?' },
  repeats: {
    zh: '该计划将每 {hours} 小时自动执行一次。',
    en: 'This plan runs automatically every {hours} hours.',
  },
  firstRun: { zh: '首次执行：{time}。', en: 'First run: {time}.' },
  keep: { zh: '保留定时', en: 'Keep the schedule' },
  onDemand: { zh: '仅手动执行', en: 'Run on demand only' },
});
