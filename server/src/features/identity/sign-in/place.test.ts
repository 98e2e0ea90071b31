import { expect, it } from 'vitest';
import { accountKey, placeOf } from './place.ts';

it.each([
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:DB8:0001:2::9', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['nonsense', 'nonsense'],
])('counts the address %s as %s', (address, place) => {
  expect(placeOf(address)).toBe(place);
});

it.each([
  ['Alice', 'alice'],
  ['ａlice', 'alice'],
  ['al\u200bi\u00adce', 'alice'],
  [' alice  ', 'alice'],
  ['alice@corp', 'alice'],
  ['ALICE@corp.example.com', 'alice'],
  ['@alice', '@alice'],
  ['@alice@corp', '@alice'],
  ['ﬁn', 'fin'],
])('counts the name %j as %j', (typed, key) => {
  expect(accountKey(typed)).toBe(key);
});
