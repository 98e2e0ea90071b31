import type { SecretKind } from './formats.ts';

/** A secret that a fixed text introduces, in configurations of network devices. */
export interface VendorFormat {
  readonly kind: SecretKind;
  readonly prefixes: readonly string[];
  /** Matches the prefix, other words, and the secret as its only group at the end. */
  readonly whole: RegExp;
  /** Matches a text that may become a secret. */
  readonly open: RegExp;
  /** Matches the rest of a secret that is longer than the text so far. */
  readonly more: RegExp;
}

const WORD = /[^\s"']*/y;
const COMMUNITY = '["\']?(?!(?:cipher|simple|read|write) )([^\\s"\'%][^\\s"\']{2,120})';

const community = (prefixes: readonly string[], words = ''): VendorFormat => {
  const before = `(?:${prefixes.join('|')})${words}`;
  return {
    kind: 'assignment',
    prefixes,
    whole: new RegExp(`${before}${COMMUNITY}`, 'y'),
    open: new RegExp(`(?:${prefixes.join('|')})[^\\r\\n]{0,60}$`, 'y'),
    more: WORD,
  };
};

/** A cipher text between two equal marks. */
const between = (mark: string): VendorFormat => {
  const quoted = mark.replace(/[$^%]/g, '\\$&');
  return {
    kind: 'encoded_secret',
    prefixes: [mark],
    whole: new RegExp(`${quoted}([!-~]{8,400}?${quoted})`, 'y'),
    open: new RegExp(`${quoted}[!-~]{0,400}$`, 'y'),
    more: /[!-~]*/y,
  };
};

const encoded = (prefix: string, body: string, min: number): VendorFormat => {
  const quoted = prefix.replace(/\$/g, '\\$');
  return {
    kind: 'encoded_secret',
    prefixes: [prefix],
    whole: new RegExp(`${quoted}([${body}]{${min},400})`, 'y'),
    open: new RegExp(`${quoted}[${body}]{0,${min}}$`, 'y'),
    more: new RegExp(`[${body}]*`, 'y'),
  };
};

const BASE64 = 'A-Za-z0-9+/=';

/**
 * Cisco and Arista (SNMP, type 7 keys, type 8 and 9), net-snmp, Huawei, H3C, Juniper, Fortinet, F5,
 * Aruba. Their passwords of type 5 and 7 after `password` and `secret` are found as assignments.
 */
export const VENDOR_FORMATS: readonly VendorFormat[] = [
  community(['snmp-server community ', 'set snmp community ']),
  community(
    ['snmp-agent community '],
    '(?:read|write|simple|cipher)(?: (?:read|write|cipher|simple)){0,2} ',
  ),
  community(['rocommunity ', 'rwcommunity ', 'rocommunity6 ', 'rwcommunity6 ']),
  community(['com2sec '], '\\S{1,60}[ \\t]{1,20}\\S{1,60}[ \\t]{1,20}'),
  community([' -v2c -c ', ' -v 2c -c ', ' -v1 -c ', ' -v 1 -c ']),
  ...['%^%#', '%$%$', '%@%@', '%+%#'].map(between),
  encoded('$c$3$', BASE64, 16),
  encoded('$h$6$', BASE64, 24),
  encoded('$8$', 'A-Za-z0-9./$', 24),
  encoded('$9$', 'A-Za-z0-9./$-', 9),
  encoded('$M$', `${BASE64}$`, 16),
  encoded(' ENC ', BASE64, 16),
  encoded('ciphertext ', BASE64, 16),
  encoded(' key 7 ', '0-9A-Fa-f', 8),
  encoded(' key-string 7 ', '0-9A-Fa-f', 8),
];
