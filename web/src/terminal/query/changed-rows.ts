import { t } from '../../kit/i18n/index.ts';
import { words } from './words.ts';

const VERBS = {
  delete: words.rowsDeleted,
  update: words.rowsUpdated,
  insert: words.rowsInserted,
} as const;

/** Says what a statement did to its rows: "60,000 rows deleted". */
export function changedRows(statement: string, count: number): string {
  const [verb = ''] = /^[a-z]+/i.exec(statement.trimStart()) ?? [];
  const name = verb.toLowerCase();
  return t(name === 'delete' || name === 'update' || name === 'insert' ? VERBS[name] : words.rows, {
    count,
  });
}
