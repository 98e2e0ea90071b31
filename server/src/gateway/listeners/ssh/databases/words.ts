import type { LocalText } from '@sallyport/contract';

export const words = {
  greeting: {
    en: '{name}, {type}. A semicolon ends a statement. \\? shows help, \\q leaves.',
    zh: '{name}（{type}）。语句以分号结束，\\? 显示帮助，\\q 退出。',
  },
  greetingRedis: {
    en: '{name}, {type}. A command for each line. \\? shows help, \\q leaves.',
    zh: '{name}（{type}）。每行一个命令，\\? 显示帮助，\\q 退出。',
  },
  readOnly: { en: 'Your permission allows reading only.', zh: '您的授权只允许读取。' },
  helpQuit: { en: '\\q: leave', zh: '\\q：退出' },
  helpTables: { en: '\\d: list the tables', zh: '\\d：列出数据表' },
  helpColumns: { en: '\\d and a name: the columns of a table', zh: '\\d 加表名：列出该表的列' },
  helpClear: {
    en: '\\c or Ctrl-C: give up what is typed, or what runs',
    zh: '\\c 或 Ctrl-C：放弃已输入的内容，或取消正在执行的语句',
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
  isCut: { en: 'The result is longer than what is kept.', zh: '结果过长，只保留了开头部分。' },
  notShown: {
    en: '{rows, plural, one {# more row is} other {# more rows are}} not shown.',
    zh: '还有 {rows, number} 行未显示。',
  },
  gone: {
    en: 'This result is not kept any more: too many came after it.',
    zh: '之后的结果过多，该结果已不再保留。',
  },
  more: { en: 'Enter or Space: more; q: stop', zh: '回车或空格：继续；q：停止' },
  confirm: { en: 'Run it? [y/N]: ', zh: '是否执行？[y/N]：' },
  tooLong: {
    en: 'A statement may have {bytes, number} bytes at most.',
    zh: '一条语句最多 {bytes, number} 字节。',
  },
  noTables: { en: 'There is no table.', zh: '没有数据表。' },
  noTable: { en: 'There is no table {name}.', zh: '没有名为 {name} 的数据表。' },
  schema: { en: 'Schema', zh: '模式' },
  table: { en: 'Table', zh: '数据表' },
  kind: { en: 'Kind', zh: '类别' },
  kindTable: { en: 'table', zh: '表' },
  kindView: { en: 'view', zh: '视图' },
  column: { en: 'Column', zh: '列' },
  columnType: { en: 'Type', zh: '类型' },
} as const satisfies Record<string, LocalText>;
