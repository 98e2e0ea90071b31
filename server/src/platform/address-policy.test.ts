import { expect, it } from 'vitest';
import { createAddressPolicy } from './address-policy.ts';

const closed = createAddressPolicy([], () => [8080]);
const open = createAddressPolicy(['127.0.0.0/8', '::1'], () => [8080]);

it.each([
  '127.0.0.1',
  '127.8.8.8',
  '0.0.0.0',
  '169.254.169.254',
  '224.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  'fe80::1',
  'fe80::1%eth0',
  'ff02::1',
  '::ffff:127.0.0.1',
  '::ffff:169.254.1.1',
  '100.100.100.200',
  'fd00:ec2::254',
])('rejects %s as a target', (address) => expect(closed.allows(address, 22)).toBe(false));

it.each(['10.0.0.1', '192.168.1.1', '8.8.8.8', '2001:db8::1', 'fd00::1', '::ffff:10.0.0.1'])(
  'allows %s as a target',
  (address) => expect(closed.allows(address, 22)).toBe(true),
);

it('allows the networks of the operator, but never the console', () => {
  expect(open.allows('127.0.0.1', 22)).toBe(true);
  expect(open.allows('::1', 22)).toBe(true);
  expect(open.allows('127.0.0.1', 8080)).toBe(false);
  expect(open.allows('169.254.1.1', 22)).toBe(false);
});
