import { RULE_CONFIRM as CONFIRM } from '../resources/assets/command-filter-rule.ts';
import type { LibraryRule } from './library-rule.ts';

/** Statements reach rules in one line, without comments and with single blanks. */
export const SQL = '(?i)^';

/** A name, quoted in either dialect or not. */
const NAME = String.raw`(?:(?:u&)?"[^"]*"|\x60[^\x60]*\x60|[^\s"\x60(),;.]+)`;
const TABLE = String.raw`${NAME}(?: ?\. ?${NAME}){0,2}`;
const ALTER = 'alter (?:online |offline |ignore )*table';
/** A dropped column without the word COLUMN, up to the next action. */
const COLUMN = `drop (?:if exists )?${NAME}(?: cascade| restrict)?(?: ?,|$)`;
/** A DELETE that names its table twice, and has no condition. */
const TARGET = String.raw`${TABLE}(?: ?\. ?\*)?`;
const DELETE_TWICE = `delete (?:low_priority |quick |ignore )*(?:${TARGET} from|from ${TARGET} using) ${TABLE}(?: as)?(?: ${NAME})?$`;

/** Rules for statements that both dialects of SQL write alike. */
export const sqlRules = (dialect: string): readonly LibraryRule[] => [
  {
    id: `${dialect}-drop-table`,
    action: CONFIRM,
    sentence: {
      en: 'Removes a table, view or column with its data.',
      zh: '删除表、视图或列及其数据。',
    },
    content: String.raw`${SQL}(?:drop (?:temporary |foreign |materialized )?(?:tables?|view|sequence|type|index)\b|create or replace (?:temporary )?table\b|${ALTER}\b.*\bdrop (?:column|partition)\b|${ALTER} (?:if exists )?(?:only )?${TABLE}(?: ?\*)? ${COLUMN}|${ALTER}\b.*, ?${COLUMN})`,
    example: 'DROP TABLE orders',
  },
  {
    id: `${dialect}-truncate`,
    action: CONFIRM,
    sentence: { en: 'Deletes every row of a table.', zh: '删除表的所有行。' },
    content: String.raw`${SQL}(?:truncate\b|delete (?:low_priority |quick |ignore )*from (?:only ?)?(?:\( ?)?${TABLE}(?: ?\))?(?: ?\*)?(?: as)?(?: ${NAME})?(?: where (?:true|1|\(?1 ?= ?1\)?))?(?: returning\b.*)?$|${DELETE_TWICE}|${ALTER}\b.*\btruncate partition\b)`,
    example: 'TRUNCATE orders',
  },
];
