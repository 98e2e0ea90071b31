import { catalogue } from '../../kit/i18n/index.ts';

/** Texts of the frame. */
export const words = catalogue({
  ticketsWaiting: {
    zh: '{count, number} 个工单等待您处理',
    en: '{count, plural, one {# ticket needs} other {# tickets need}} your decision',
  },
  keySearch: { zh: '聚焦搜索框', en: 'Focus the search field' },
  keyPalette: {
    zh: '搜索全部内容（也可在输入框中使用）',
    en: 'Search everything (also in input fields)',
  },
  keyPaletteTerminal: {
    zh: '在终端窗口中搜索（⌘K 或 Ctrl+Shift+K，Ctrl+K 留给 Shell）',
    en: 'Search in the terminal window (⌘K or Ctrl+Shift+K; Ctrl+K belongs to the shell)',
  },
  keyConnect: { zh: '搜索结果：连接资产', en: 'In search: connect to the asset' },
  keySend: { zh: '表单中：保存', en: 'In forms: save' },
  keyActions: { zh: '搜索结果：显示操作', en: 'In search: show actions' },
  keyDigits: {
    zh: '起始页：连接常用资产',
    en: 'On the start page: connect to a recent or favorite asset',
  },
  keyHelp: { zh: '显示快捷键', en: 'Show keyboard shortcuts' },
  keyEscape: { zh: '关闭弹窗', en: 'Close a dialog' },
  keyTree: {
    zh: '在表格和节点树中移动，展开和收起节点',
    en: 'Move in tables and trees; expand and collapse nodes',
  },
  keyRows: { zh: '列表的首行；下一行和上一行', en: 'First row of a list; next and previous row' },
  keyPin: {
    zh: '访问过的页面：固定或取消固定',
    en: 'Pin or unpin the focused visited page',
  },
  keyTerminate: { zh: '在线会话的当前行：终断', en: 'Terminate the focused session' },
  keyDecide: {
    zh: '工单列表的当前行：同意或拒绝',
    en: 'Approve or reject the focused row of tickets',
  },
  keyEnds: { zh: '表格的首行和末行', en: 'First and last row of a table' },
});
