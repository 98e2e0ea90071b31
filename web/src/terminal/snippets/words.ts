import { catalogue } from '../../kit/i18n/index.ts';

/** Words of the snippets. */
export const words = catalogue({
  save: { zh: '保存', en: 'Save' },
  title: { zh: '常用命令', en: 'Snippets' },
  search: { zh: '搜索名称或内容', en: 'Search by name or text' },
  none: {
    zh: '还没有常用命令。新建一条，即可在任何终端中插入。',
    en: 'No snippets yet. Add one to insert it into any terminal.',
  },
  nothingFound: { zh: '没有匹配的常用命令', en: 'No matching snippets' },
  failed: { zh: '无法读取常用命令。', en: 'Could not load the snippets.' },
  create: { zh: '新建', en: 'New snippet' },
  edit: { zh: '编辑', en: 'Edit' },
  remove: { zh: '删除', en: 'Delete' },
  editNamed: { zh: '编辑 {name}', en: 'Edit {name}' },
  removeNamed: { zh: '删除 {name}', en: 'Delete {name}' },
  name: { zh: '名称', en: 'Name' },
  content: { zh: '内容', en: 'Text' },
  contentHint: {
    zh: '插入时填写 {example} 等占位符。',
    en: 'You fill in placeholders such as {example} when you insert the snippet.',
  },
  preview: { zh: '预览', en: 'Preview' },
  insert: { zh: '插入', en: 'Insert' },
  insertAndRun: { zh: '插入并按 Enter', en: 'Insert and press Enter' },
  severalLines: {
    zh: '共 {count, number} 行：除最后一行外，每一行都可能立即执行。',
    en: '{count, plural, one {# line.} other {# lines: each line but the last may run immediately.}}',
  },
  keys: { zh: '↑↓ 选择，Enter 插入，Esc 关闭', en: '↑↓ choose, Enter inserts, Esc closes' },
  notOpen: {
    zh: '终端未连接，无法插入。',
    en: 'The terminal is not connected. Connect it to insert snippets.',
  },
});
