import { RULE_CONFIRM as CONFIRM } from '../resources/assets/command-filter-rule.ts';
import type { LibraryRule } from './library-rule.ts';

/** Statements reach rules in one line, without comments and with single blanks. */
export const SQL = '(?i)^';

/** A name, quoted in either dialect or not. */
const NAME = String.raw`(?:(?:u&)?"[^"]*"|\x60[^\x60]*\x60|[^\s"\x60(),;.]+)`;
/** MariaDB also takes a dot before the name. */
const TABLE = String.raw`(?:\. ?)?${NAME}(?: ?\. ?${NAME}){0,2}`;
const ALTER = 'alter (?:online |offline |ignore |foreign )*table';
const ALTERED = String.raw`${ALTER} (?:if exists )?(?:only )?${TABLE}(?: ?\*| wait \d+| nowait)?`;
/** A dropped column without the word COLUMN, up to the next action. */
const COLUMN = `drop (?:if exists )?${NAME}(?: cascade| restrict)?(?: ?,| order by | partition by | remove partitioning|$)`;
/** A condition that names no column, or is true for each row by its first or last part. */
const LITERAL = String.raw`[ (]*(?:true|[1-9]\d*)[ )]*`;
const CONSTANT = String.raw`(?:(?:[\d.()<>=!*/|&^%:~+ -]|'[^']*'|\b(?:true|false|not|or|and|is|null|like|between|in|xor|div|mod|bool|exists|select)\b)+|${LITERAL}or\b.*|.*\bor${LITERAL})`;
/** The end of a DELETE without a small LIMIT. */
const REST = String.raw`(?: order by (?:[^l]|l[^i]|li[^m])*)?(?: limit \d{7,})?(?: returning\b.*)?$`;
const ALIAS = `(?: as)?(?: ${NAME})?`;
const DELETE = 'delete (?:low_priority |quick |ignore |history )*';
const SINGLE = String.raw`from (?:only ?)?(?:\( ?)?${TABLE}(?: ?\))?(?: ?\*)?${ALIAS}(?: partition ?\([^)]*\))?${REST}`;
/** Several tables, without the words WHERE and ON. */
const SEVERAL =
  "(?:[^'(]* from|from [^'(]* using)(?:[^w )]|w[^h]|wh[^e]|[ )](?:[^wo]|o[^n]|on[^ (]|w[^h]|wh[^e]))*[ )]?(?:w?h?|o?n?)$";

/** Rules for statements that both dialects of SQL write alike. */
export const sqlRules = (dialect: string): readonly LibraryRule[] => [
  {
    id: `${dialect}-drop-table`,
    action: CONFIRM,
    sentence: {
      en: 'Removes a table, view or column with its data.',
      zh: '删除表、视图或列及其数据。',
    },
    content: String.raw`${SQL}(?:drop (?:temporary |foreign |materialized )?(?:tables?|view|sequence|type|domain|index)\b|create or replace (?:temporary )?(?:table|sequence)\b|${ALTER}\b.*\bdrop (?:column|partition)\b|alter type\b.*\bdrop attribute\b|${ALTERED} ${COLUMN}|${ALTER}\b.*, ?${COLUMN})`,
    example: 'DROP TABLE orders',
  },
  {
    id: `${dialect}-truncate`,
    action: CONFIRM,
    sentence: { en: 'Deletes every row of a table.', zh: '删除表的所有行。' },
    content: String.raw`${SQL}(?:truncate\b|${DELETE}(?:${SINGLE}|${SEVERAL})|${ALTER}\b.*\btruncate partition\b)`,
    example: 'TRUNCATE orders',
  },
  {
    id: `${dialect}-always-true`,
    action: CONFIRM,
    sentence: {
      en: 'Deletes rows by a condition that is always true.',
      zh: '按恒为真的条件删除行。',
    },
    content: String.raw`${SQL}(?:delete\b.* where ?${CONSTANT}${REST}|merge\b.* on ?${CONSTANT} when matched then delete)`,
    example: 'DELETE FROM orders WHERE 1 = 1',
  },
];
