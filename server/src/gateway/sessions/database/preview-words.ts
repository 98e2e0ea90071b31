import type { LocalText } from '@sallyport/contract';

export const words = {
  update: {
    en: 'This changes {rows, plural, one {# row} other {# rows}} of {table}.',
    zh: '该语句会修改 {table} 的 {rows, number} 行。',
  },
  delete: {
    en: 'This deletes {rows, plural, one {# row} other {# rows}} of {table}.',
    zh: '该语句会删除 {table} 的 {rows, number} 行。',
  },
  everyRow: { en: 'The statement has no WHERE.', zh: '该语句没有 WHERE。' },
  nothingYet: {
    en: 'Nothing has changed yet: the preview was rolled back.',
    zh: '数据尚未更改：预览已回滚。',
  },
  first: { en: 'The first rows, with their present values:', zh: '前几行的当前数据：' },
  none: {
    en: 'There is no preview and no undo script: {reason}',
    zh: '无法预览，也没有撤销脚本：{reason}',
  },
  otherStatement: {
    en: 'only UPDATE and DELETE of one table can be previewed.',
    zh: '只能预览针对单个表的 UPDATE 和 DELETE。',
  },
  noTable: {
    en: 'the target is no ordinary table.',
    zh: '目标不是普通的表。',
  },
  noTransactions: {
    en: 'tables with the engine {engine} have no rollback.',
    zh: '存储引擎 {engine} 不支持回滚。',
  },
  triggers: {
    en: 'the table, or one that follows its changes, has triggers or rules.',
    zh: '该表或随之更改的表有触发器或规则。',
  },
  functions: {
    en: 'a rollback may not undo the function {name}.',
    zh: '回滚可能无法撤销函数 {name} 的影响。',
  },
  tooMany: {
    en: 'it affects more than {max, number} rows.',
    zh: '受影响的行超过 {max, number} 行。',
  },
  tooSlow: {
    en: 'it took longer than {seconds, number} seconds.',
    zh: '预览超过 {seconds, number} 秒。',
  },
  failed: { en: 'the database answered: {message}', zh: '数据库返回：{message}' },
  notConfirmed: {
    en: 'Not run: you did not confirm the change.',
    zh: '未执行：您没有确认该更改。',
  },
} as const satisfies Record<string, LocalText>;
