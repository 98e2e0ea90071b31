import { expect, it } from 'vitest';
import { buildCountryFile } from '../../testing/country-file.ts';
import { readCountryDatabase } from './country-database.ts';

const FILE = buildCountryFile({
  '198.51.100.0/24': 'DE',
  '203.0.113.128/25': 'JP',
  '2001:db8:5::/48': 'CN',
});

it('returns the country of IPv4 and IPv6 addresses', () => {
  const countryOf = readCountryDatabase(FILE);
  const addresses = {
    '198.51.100.255': 'DE',
    '203.0.113.127': undefined,
    '203.0.113.128': 'JP',
    '2001:db8:5:1::1': 'CN',
    '2001:db8:6::1': undefined,
    'not an address': undefined,
    '': undefined,
  };
  for (const [address, country] of Object.entries(addresses))
    expect(countryOf(address), address).toBe(country);
});

it('refuses a file that is cut off, and gives no country for a damaged record', () => {
  for (const length of [0, 10, FILE.length - 20])
    expect(() => readCountryDatabase(FILE.subarray(0, length))).toThrow();
  expect(() => readCountryDatabase(FILE.subarray(FILE.length / 2))).toThrow('is cut off');
  const last = FILE.indexOf('MaxMind.com') - 3;
  for (let at = 0; at < last; at += 1)
    for (const value of [0, 0x20, 0xff]) {
      const damaged = Buffer.from(FILE);
      damaged[at] = value;
      expect(readCountryDatabase(damaged)('203.0.113.200') ?? 'XX').toMatch(/^[A-Z]{2}$/);
    }
});
