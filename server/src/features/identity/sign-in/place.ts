import { isIPv6 } from 'node:net';
import { type Sql, sql } from '../../../platform/db/sql.ts';

/**
 * Returns the address under which attempts are counted: an IPv4 address, or the /64 network of an
 * IPv6 address, the usual allocation of one customer. Other values are returned unchanged.
 */
export function placeOf(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address);
  if (mapped?.[1]) return mapped[1];
  if (!isIPv6(address)) return address;
  const [head = '', tail] = (address.split('%')[0] ?? '').toLowerCase().split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail ? tail.split(':') : [];
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - before.length - after.length);
  const groups = [...before, ...Array.from({ length: zeros }, () => '0'), ...after].slice(0, 4);
  return `${groups.map((group) => group.replace(/^0+(?=.)/, '')).join(':')}::/64`;
}

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

/** The same for a stored username, which consists of letters, digits and `_ @ - .`. */
export const accountKeyOf = (column: Sql): Sql =>
  sql`regexp_replace(lower(${column}), '^(.[^@]*)@.*$', '\\1')`;
