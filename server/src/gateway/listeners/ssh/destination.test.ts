import { expect, it } from 'vitest';
import { readDestination, readTarget } from './destination.ts';

it.each([
  ['alice', { username: 'alice' }],
  ['alice@example.com', { username: 'alice@example.com' }],
  ['alice@root@web1', { username: 'alice', target: { account: 'root', asset: 'web1' } }],
  [
    'alice@example.com@root@10.0.0.5',
    { username: 'alice@example.com', target: { account: 'root', asset: '10.0.0.5' } },
  ],
  ['alice@@web1', { username: 'alice', target: { account: undefined, asset: 'web1' } }],
  ['a@b@c@@', { username: 'a@b@c' }],
  ['alice@root@', { username: 'alice@root@' }],
  ['ali\0ce@root@web1', { username: 'ali\uFFFDce@root@web1' }],
])('parses the sign-in name %s by its last two @', (name, destination) => {
  expect(readDestination(name)).toEqual(destination);
});

it.each([
  ['web1', { account: undefined, asset: 'web1' }],
  ['root@web1', { account: 'root', asset: 'web1' }],
  ['odd@name@web1', { account: 'odd@name', asset: 'web1' }],
  ['@web1', { account: undefined, asset: 'web1' }],
])('parses %s as a server with an optional account', (text, target) => {
  expect(readTarget(text)).toEqual(target);
});
