import { catalogue } from '../../../kit/i18n/index.ts';

/** The words of forms. */
export const words = catalogue({
  unknownType: {
    zh: '无法编辑“{label}”：不支持的字段类型 {type}',
    en: '"{label}" cannot be edited here: unknown field type {type}',
  },
  otherProblems: { zh: '请检查以下问题', en: 'Please check these problems' },
  leaveTitle: { zh: '放弃修改？', en: 'Discard the changes?' },
  leaveText: {
    zh: '您的修改尚未提交，离开后将丢失。',
    en: 'Your changes have not been submitted. They are lost when you leave.',
  },
  leave: { zh: '离开', en: 'Leave' },
  stay: { zh: '继续编辑', en: 'Keep editing' },
  loadFile: { zh: '从文件读取', en: 'Read from a file' },
  keep: { zh: '留空表示不修改', en: 'Leave blank to keep the current value' },
  pickDate: { zh: '选择日期和时间', en: 'Pick date and time' },
  dateExamples: {
    zh: '例如 2026-11-27 18:00、+7d、下周五 18:00、永久',
    en: 'Such as 2026-11-27 18:00, +7d, next fri 18:00, never',
  },
  usualLengths: { zh: '常用时长', en: 'Usual lengths of time' },
  timeOfDay: { zh: '时间', en: 'Time of day' },
  choose: { zh: '请选择', en: 'Choose' },
  createNew: { zh: '新建{what}…', en: 'New {what}…' },
  browseTree: { zh: '浏览节点树…', en: 'Browse the tree…' },
  nothing: { zh: '没有可选项', en: 'Nothing to choose from' },
  loadMore: { zh: '向下滚动加载更多', en: 'Scroll for more' },
  removeItem: { zh: '移除 {name}', en: 'Remove {name}' },
  clear: { zh: '清除', en: 'Clear' },
  moreItems: { zh: '另外 {count, number} 项', en: '{count, number} more' },
  noForm: { zh: '您的角色不能修改它', en: 'Your role can’t change this' },
  saveAndAdd: { zh: '保存并继续添加', en: 'Save and add another' },
  openIt: { zh: '打开', en: 'Open' },
  grantAccess: { zh: '授权访问', en: 'Grant access' },
  addAnother: { zh: '继续添加', en: 'Add another' },
  fileTooLarge: { zh: '文件太大', en: 'The file is too large' },
  addTitle: { zh: '确定添加？', en: 'Add it?' },
  add: { zh: '添加', en: 'Add' },
  reset: { zh: '重置', en: 'Reset' },
});
