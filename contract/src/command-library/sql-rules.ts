import { RULE_CONFIRM as CONFIRM } from '../resources/assets/command-filter-rule.ts';
import type { LibraryRule } from './library-rule.ts';

/** Statements reach rules in one line, without comments and with single blanks. */
export const SQL = '(?i)^';

/** Rules for statements that both dialects of SQL write alike. */
export const sqlRules = (dialect: string): readonly LibraryRule[] => [
  {
    id: `${dialect}-drop-table`,
    action: CONFIRM,
    sentence: {
      en: 'Removes a table, view or column with its data.',
      zh: '删除表、视图或列及其数据。',
    },
    content: String.raw`${SQL}(?:drop (?:temporary |foreign |materialized )?(?:table|view|sequence|type|index)\b|alter table\b.*\bdrop (?:column|partition)\b)`,
    example: 'DROP TABLE orders',
  },
  {
    id: `${dialect}-truncate`,
    action: CONFIRM,
    sentence: { en: 'Deletes every row of a table.', zh: '删除表的所有行。' },
    content: String.raw`${SQL}(?:truncate\b|delete from (?:only )?[\w."\x60]+(?: ?\*)?(?: as)?(?: [\w"\x60]+)?(?: where (?:true|1|\(?1 ?= ?1\)?))?(?: returning\b.*)?$|alter table\b.*\btruncate partition\b)`,
    example: 'TRUNCATE orders',
  },
];
