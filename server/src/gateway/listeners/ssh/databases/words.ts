import type { LocalText } from '@sallyport/contract';

export const words = {
  greeting: {
    en: '{name}, {type}. A semicolon ends a statement. \\? shows help, \\q leaves.',
    zh: '{name}（{type}）。语句以分号结束，\\? 显示帮助，\\q 退出。',
  },
  greetingRedis: {
    en: '{name}, {type}. One command per line. \\? shows help, \\q leaves.',
    zh: '{name}（{type}）。每行一个命令，\\? 显示帮助，\\q 退出。',
  },
  readOnly: { en: 'Your permission allows reading only.', zh: '您的授权只允许读取。' },
  helpQuit: { en: '\\q: leave', zh: '\\q：退出' },
  helpTables: { en: '\\d: list the tables', zh: '\\d：列出数据表' },
  helpColumns: { en: '\\d and a name: the columns of a table', zh: '\\d 加表名：列出该表的列' },
  helpClear: {
    en: '\\c or Ctrl-C: discard the input or cancel the running statement',
    zh: '\\c 或 Ctrl-C：放弃输入，或取消正在执行的语句',
  },
  helpTab: {
    en: 'Tab: completes names; up and down: earlier lines',
    zh: 'Tab：补全名称；上下方向键：历史输入',
  },
  helpRecorded: { en: 'Statements are recorded.', zh: '所有语句都会被记录。' },
  rows: {
    en: '{rows, plural, one {# row} other {# rows}}, {milliseconds} ms',
    zh: '{rows, number} 行，{milliseconds} 毫秒',
  },
  done: { en: 'OK, {milliseconds} ms', zh: '完成，{milliseconds} 毫秒' },
  undoKept: {
    en: 'Undo script kept ({rows, plural, one {# row} other {# rows}}). Auditors can download it.',
    zh: '已保存撤销脚本（{rows, number} 行），审计员可以下载。',
  },
  isCut: { en: 'The result was truncated.', zh: '结果过长，已截断。' },
  notShown: {
    en: '{rows, plural, one {# more row is} other {# more rows are}} not shown.',
    zh: '还有 {rows, number} 行未显示。',
  },
  gone: {
    en: 'This result is no longer available: too many newer results.',
    zh: '新结果过多，该结果已不再保留。',
  },
  more: { en: 'Enter or Space: more; q: stop', zh: '回车或空格：继续；q：停止' },
  confirm: { en: 'Run it? [y/N]: ', zh: '是否执行？[y/N]：' },
  tooLong: {
    en: 'A statement can have at most {bytes, number} bytes.',
    zh: '一条语句最多 {bytes, number} 字节。',
  },
  unknown: {
    en: 'Unknown command {name}. \\? shows help.',
    zh: '未知命令 {name}，\\? 显示帮助。',
  },
  noTables: { en: 'No tables.', zh: '没有数据表。' },
  noTable: { en: 'Table {name} not found.', zh: '数据表 {name} 不存在。' },
  schema: { en: 'Schema', zh: '模式' },
  table: { en: 'Table', zh: '数据表' },
  kind: { en: 'Kind', zh: '类别' },
  kindTable: { en: 'table', zh: '表' },
  kindView: { en: 'view', zh: '视图' },
  column: { en: 'Column', zh: '列' },
  columnType: { en: 'Type', zh: '类型' },
} as const satisfies Record<string, LocalText>;
