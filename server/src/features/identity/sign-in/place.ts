import { type Sql, sql } from '../../../platform/db/sql.ts';

/**
 * Returns the name under which wrong passwords are counted. Directories accept several spellings of
 * a name: other character widths, invisible characters, spaces, a domain suffix. These must share
 * one limit.
 */
export function accountKey(username: string): string {
  const folded = username
    .slice(0, 1_024)
    .normalize('NFKC')
    .replace(/[\p{Default_Ignorable_Code_Point}\p{Cc}]/gu, '')
    .replace(/\s+/gu, ' ')
    .trim()
    .toLowerCase();
  return folded.replace(/^(.[^@]*)@.*$/su, '$1').slice(0, 128);
}

/**
 * The same for a stored username, which consists of ASCII letters, digits and `_ @ - .`. A database
 * with Turkish rules maps `I` to another letter, so the collation is fixed.
 */
export const accountKeyOf = (column: Sql): Sql =>
  sql`regexp_replace(lower(${column} collate "C"), '^(.[^@]*)@.*$', '\\1')`;
