import { catalogue } from '../../../kit/i18n/index.ts';

export const words = catalogue({
  report: { zh: '报告', en: 'Report' },
  reportIn: { zh: '{language}报告', en: 'Report in {language}' },
  english: { zh: '英文', en: 'English' },
  chinese: { zh: '中文', en: 'Chinese' },
  active: { zh: '当前预设', en: 'In force' },
  changes: { zh: '将要修改的设置', en: 'Settings to change' },
  drift: { zh: '偏离预设的设置', en: 'Settings that drifted' },
  noChanges: { zh: '所有设置均已满足', en: 'All settings are as strong or stronger' },
  stays: {
    zh: '更严格的取值保持不变。操作日志会记录一条变更。',
    en: 'Stronger values stay. The operate log gets one entry.',
  },
  apply: { zh: '应用预设', en: 'Apply preset' },
  again: { zh: '重新应用', en: 'Apply again' },
  applyQuestion: {
    zh: '应用“{preset}”并修改 {count, number} 项设置？',
    en: 'Apply “{preset}” and change {count, plural, one {# setting} other {# settings}}?',
  },
  applied: { zh: '预设已应用', en: 'Preset applied' },
  undo: { zh: '撤销预设', en: 'Undo preset' },
  undoQuestion: {
    zh: '撤销 {user} 于 {date} 应用的预设？之后未改动过的设置恢复为原值。',
    en: 'Undo the preset that {user} applied on {date}? Settings that were not changed since get their earlier values.',
  },
  undone: { zh: '预设已撤销', en: 'Preset undone' },
  setting: { zh: '设置', en: 'Setting' },
  fromTo: { zh: '{from} 改为 {to}', en: 'from {from} to {to}' },
  clauses: { zh: '逐条结果', en: 'Clauses' },
  met: { zh: '满足', en: 'Met' },
  gap: { zh: '差距', en: 'Gap' },
  outside: { zh: '产品之外', en: 'Outside of the product' },
  gapsOnly: { zh: '只看差距', en: 'Gaps only' },
  noGaps: { zh: '没有差距', en: 'No gaps' },
  counts: {
    zh: '满足 {met, number} 项 · 差距 {gap, number} 项 · 产品之外 {outside, number} 项',
    en: '{met, number} met · {gap, plural, one {# gap} other {# gaps}} · {outside, number} outside of the product',
  },
  wanted: { zh: '要求：{wanted}', en: 'Wanted: {wanted}' },
  builtIn: { zh: '产品机制：', en: 'Built in: ' },
  organization: { zh: '组织落实：', en: 'Your organization: ' },
});
