import { catalogue } from '../../../../kit/i18n/index.ts';

export const words = catalogue({
  title: { zh: '时间分布', en: 'Over time' },
  help: {
    zh: '方向键移动，Shift+方向键选择一段时间，回车筛选',
    en: 'Arrow keys move, Shift and arrow keys select a time range, Enter filters by it',
  },
  total: {
    zh: '共 {count, number} 条 · 每格 {width}',
    en: 'In this range: {count, number} · {width} per bar',
  },
  projected: {
    zh: '约 {count, number} 条 · 每格 {width}',
    en: 'In this range: about {count, number} · {width} per bar',
  },
  bar: { zh: '{from} 至 {to}：{count, number} 条', en: '{from} to {to}: {count, number}' },
  marked: { zh: '{label} {count, number}', en: '{label}: {count, number}' },
  whole: { zh: '恢复时间范围', en: 'Reset the time range' },
  failed: { zh: '时间分布加载失败', en: 'The rows over time could not be loaded' },
  from: { zh: '起始时间', en: 'From' },
  rows: { zh: '条数', en: 'Rows' },
  none: { zh: '该时间范围内没有记录', en: 'No rows in this range' },
  minutes: { zh: '{count, number} 分钟', en: '{count, number} min' },
  seconds: { zh: '{count, number} 秒', en: '{count, number} s' },
  hours: { zh: '{count, number} 小时', en: '{count, number} h' },
  days: {
    zh: '{count, number} 天',
    en: '{count, plural, one {# day} other {# days}}',
  },
});
