import { catalogue } from '../../../kit/i18n/index.ts';

export const words = catalogue({
  updateSelected: { zh: '更新所选', en: 'Update selected' },
  selectProperties: { zh: '选择字段', en: 'Choose fields' },
  disableSelected: { zh: '禁用所选', en: 'Disable selected' },
  activateSelected: { zh: '激活所选', en: 'Activate selected' },
  disableQuestion: {
    zh: '禁用所选的 {count, number} 项？',
    en: 'Disable the {count, plural, one {selected object} other {# selected objects}}?',
  },
});
