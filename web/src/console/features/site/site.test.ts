import { expect, it } from 'vitest';
import { isLoopback, siteElsewhere } from './site.ts';

const HERE = 'https://bastion.example.com';

it.each([
  'http://localhost:8080',
  'http://localhost',
  'https://gate.localhost:1',
  'http://127.0.0.1:8080',
  'http://127.9.9.9',
  'http://[::1]:8080',
])('takes %s for an address of one machine', (address) => expect(isLoopback(address)).toBe(true));

it.each([
  HERE,
  'http://localhost.example.com',
  'http://127.example.com',
  'http://10.127.0.1',
  'http://[::1:2]',
  'localhost',
  '',
])('takes %j for no address of one machine', (address) => expect(isLoopback(address)).toBe(false));

it.each([[HERE], [`${HERE}/`], [`${HERE}:443`], ['https://BASTION.example.com//'], [undefined]])(
  'says that mailed links lead to the page if they begin with %s',
  (site) => expect(siteElsewhere(site, HERE)).toBeUndefined(),
);

it.each([
  ['http://localhost:8080', 'http://localhost:8080'],
  ['http://bastion.example.com/', 'http://bastion.example.com'],
  ['https://bastion.example.com:8443', 'https://bastion.example.com:8443'],
  ['https://other.example', 'https://other.example'],
  ['', ''],
])('says that mailed links lead elsewhere if they begin with %j', (site, elsewhere) =>
  expect(siteElsewhere(site, HERE)).toBe(elsewhere),
);

it('compares nothing on the machine of the server', () =>
  expect(siteElsewhere(HERE, 'http://127.0.0.1:8080')).toBeUndefined());
