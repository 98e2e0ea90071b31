import type { LocalText } from '../kit/text.ts';

/** Refusals of statements, and of sessions at databases that cannot keep their rights. */
export const STATEMENT_ERRORS = {
  statement_read_only: {
    en: 'You have read-only access to this database.',
    zh: '您对该数据库只有只读权限。',
  },
  statement_separate: {
    en: 'With read-only access, send these statements one at a time: a statement of this text could change how the next ones run.',
    zh: '只读访问时请逐条发送这些语句：该文本中的语句可能影响后续语句的执行方式。',
  },
  database_pooled: {
    en: 'This database is reached through a connection pooler, whose sessions are shared. Read-only access cannot be kept there: ask an administrator to connect the database directly.',
    zh: '该数据库经由连接池访问，其会话由多个客户端共用，无法保证只读。请联系管理员改为直接连接数据库。',
  },
  database_not_read_only: {
    en: '{host} refused the read-only mode, so read-only access cannot be kept there.',
    zh: '{host} 拒绝进入只读模式，无法保证只读。',
  },
  statement_character_set: {
    en: 'Sallyport reads statements as UTF-8, so the character set of the connection cannot be changed.',
    zh: 'Sallyport 按 UTF-8 读取语句，因此不能更改连接的字符集。',
  },
  statement_not_utf8: {
    en: 'The statement is not valid UTF-8, so it was not run. Set the character set of your client to UTF-8.',
    zh: '语句不是有效的 UTF-8，因此没有执行。请将客户端字符集设置为 UTF-8。',
  },
  database_character_set: {
    en: 'The database changed the character set of the connection, so the session was closed.',
    zh: '数据库更改了连接的字符集，会话已关闭。',
  },
  statement_too_long: {
    en: 'This text is longer than {max} KiB, so it was not run.',
    zh: '内容超过 {max} KiB，因此没有执行。',
  },
  statement_undecided: {
    en: 'Rules check statements of up to {max} KiB. This one is longer, so it was not run. Send large values as parameters.',
    zh: '规则只检查不超过 {max} KiB 的语句，该语句超出限制，因此没有执行。较大的值请用参数发送。',
  },
} as const satisfies Record<string, LocalText>;
