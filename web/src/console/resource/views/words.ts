import { catalogue } from '../../../kit/i18n/index.ts';

export const words = catalogue({
  title: { zh: '视图', en: 'Views' },
  none: {
    zh: '保存当前的搜索、排序和列，以便再次使用。',
    en: 'Save the search, order and columns of this list for later use.',
  },
  open: { zh: '打开视图 {name}', en: 'Open the view {name}' },
  name: { zh: '视图名称', en: 'Name of the view' },
  save: { zh: '保存当前视图', en: 'Save this view' },
  replaces: { zh: '将替换同名的视图。', en: 'Replaces the view with this name.' },
  rename: { zh: '重命名 {name}', en: 'Rename {name}' },
  newName: { zh: '{name} 的新名称', en: 'New name of {name}' },
  remove: { zh: '删除视图 {name}', en: 'Delete the view {name}' },
  makeDefault: { zh: '打开列表时使用 {name}', en: 'Open the list with {name} by default' },
  isDefault: { zh: '默认', en: 'Default' },
  saved: { zh: '已保存视图“{name}”', en: 'View {name} saved' },
  tooMany: {
    zh: '每个列表最多保存 {max} 个视图。',
    en: 'A list has at most {max, number} views. Delete one first.',
  },
});
