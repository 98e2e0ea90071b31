import { isIPv6 } from 'node:net';
import { sql } from 'kysely';
import type { Sql } from '../../../resources/hooks.ts';

/**
 * The place that an address counts as: an IPv4 address, or the /64 network of an IPv6 address, which one customer gets whole.
 * Anything else counts as it is.
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
 * The name that wrong passwords are counted under: directories find the same person by several spellings (other widths of letters,
 * invisible characters, spaces, a domain behind the name), and each must not have a budget of its own.
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

/** The same of a stored username, which has no characters but letters, digits and `_ @ - .`. */
export const accountKeyOf = (column: Sql): Sql =>
  sql`regexp_replace(lower(${column}), '^(.[^@]*)@.*$', '\\1')`;
