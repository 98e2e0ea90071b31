import { catalogue } from '../../../kit/i18n/index.ts';

export const words = catalogue({
  restored: { zh: '已恢复', en: 'Restored' },
  restoredWithout: {
    zh: '{name} 已恢复，但以下关联未恢复：{missing}',
    en: '{name} is restored, without: {missing}',
  },
  restoring: {
    zh: '正在恢复 {count, number} 个对象，进度见“任务”',
    en: 'Restoring {count, plural, one {# object} other {# objects}}. Jobs shows the progress',
  },
  nameTaken: { zh: '恢复为其他名称', en: 'Restore under another name' },
  restore: { zh: '恢复', en: 'Restore' },
});
