import { catalogue } from '../../../kit/i18n/index.ts';

export const words = catalogue({
  working: { zh: '批量更改', en: 'Bulk change' },
  goesOn: {
    zh: '关闭后任务在后台继续，可在“后台任务”页面查看。',
    en: 'The job continues in the background when you close this dialog. See the Jobs page.',
  },
  oldSet: {
    zh: '所选的是之前条件下的全部 {count, number} 项',
    en: '{count, plural, one {The # row of the previous filter is} other {All # rows of the previous filter are}} selected',
  },
  allSelected: {
    zh: '已选符合条件的全部 {count, number} 项',
    en: '{count, plural, one {The # matching row is} other {All # matching rows are}} selected',
  },
  deleteAll: {
    zh: '将删除选中的全部 {count, number} 项，包括其他页上的。',
    en: 'This deletes {count, plural, one {the selected object} other {all # selected objects}}, those on other pages included.',
  },
  updateAll: {
    zh: '编辑全部 {count, number} 项？',
    en: 'Edit {count, plural, one {# object} other {# objects}}?',
  },
});
