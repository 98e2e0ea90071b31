import type { LocalText } from '@sallyport/contract';

export const words = {
  kept: {
    en: 'An undo script with the old values is kept with the statement ({rows, plural, one {# row} other {# rows}}).',
    zh: '执行后会随该语句保存包含旧值的撤销脚本（{rows, number} 行）。',
  },
  keptOnCommit: {
    en: 'An undo script with the old values is kept when you commit ({rows, plural, one {# row} other {# rows}}).',
    zh: '提交事务后会保存包含旧值的撤销脚本（{rows, number} 行）。',
  },
  none: { en: 'No undo script: {reason}', zh: '没有撤销脚本：{reason}' },
  tooMany: {
    en: 'the statement affects more than {max, number} rows.',
    zh: '受影响的行超过 {max, number} 行。',
  },
  tooLarge: {
    en: 'it would be larger than {max, number} MiB.',
    zh: '脚本会超过 {max, number} MiB。',
  },
  noKey: {
    en: 'the table has no primary key.',
    zh: '该表没有主键。',
  },
  keyChanges: {
    en: 'the statement changes the primary key.',
    zh: '该语句会修改主键。',
  },
  identityChanges: {
    en: 'the database does not allow values for the column {name}.',
    zh: '数据库不允许为字段 {name} 指定值。',
  },
  uniqueChanges: {
    en: 'the statement changes the unique column {name} of several rows.',
    zh: '该语句会修改多行的唯一字段 {name}。',
  },
  cascades: {
    en: 'rows of other tables change with these rows.',
    zh: '其他表的行会随之更改。',
  },
  parts: {
    en: 'the table has partitions or tables that inherit from it.',
    zh: '该表有分区或继承表。',
  },
  temporary: { en: 'the table is temporary.', zh: '该表是临时表。' },
  rowSecurity: { en: 'the table has row security.', zh: '该表启用了行级安全。' },
  unchecked: {
    en: 'the table has constraints that its rows may not meet.',
    zh: '该表有未验证的约束。',
  },
  mayNotLock: {
    en: 'the account may not lock rows of the table.',
    zh: '该账号无权锁定该表的行。',
  },
  type: {
    en: 'the values of the column {name} cannot be written into a script.',
    zh: '字段 {name} 的值无法写入脚本。',
  },
  encoding: {
    en: 'the database has no character encoding.',
    zh: '数据库没有字符编码。',
  },
  differs: {
    en: 'the function {name} may return another result when the statement runs.',
    zh: '函数 {name} 在执行时可能返回不同的结果。',
  },
  moved: {
    en: 'other rows changed than those that were read, for example by another user.',
    zh: '实际更改的行与读取的行不一致，可能是其他用户同时更改了数据。',
  },
  keyType: {
    en: 'values of the primary key column {name} do not find their rows exactly.',
    zh: '主键字段 {name} 的值无法准确定位到行。',
  },
  refersToItself: {
    en: 'rows of the table may refer to each other.',
    zh: '该表的行可能相互引用。',
  },
  ambiguous: {
    en: 'the name of the table has several meanings.',
    zh: '该表名可能指向多个表。',
  },
  hiddenTriggers: {
    en: 'The account may not see triggers and foreign keys of this table. The script does not undo what they change.',
    zh: '该账号可能看不到此表的触发器和外键。脚本不会撤销它们引起的更改。',
  },
  notStored: {
    en: 'it could not be stored.',
    zh: '脚本无法保存。',
  },
} as const satisfies Record<string, LocalText>;
