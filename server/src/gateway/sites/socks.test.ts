import { duplexPair } from 'node:stream';
import { expect, it } from 'vitest';
import { askSocks } from './socks.ts';

/** Asks a server that gives one answer. Returns the result, and the request in hexadecimal. */
async function ask(host: string, answer = '05000001000000000000') {
  const [near, far] = duplexPair();
  let request = '';
  far.on('data', (chunk: Buffer) => {
    if (chunk.toString('hex') === '050100') far.write(Buffer.from('0500', 'hex'));
    else {
      request = chunk.toString('hex');
      far.end(Buffer.from(answer, 'hex'));
    }
  });
  const isOpen = await askSocks(near, { host, port: 5432 });
  const rest: Buffer | null = near.read();
  return { isOpen, request, rest: rest?.toString() ?? '' };
}

// RFC 1928, sections 4 and 5.
it.each([
  ['192.0.2.7', '01c0000207'],
  ['2001:db8::1', '0420010db8000000000000000000000001'],
  ['::1', `04${'0'.repeat(31)}1`],
  ['::ffff:192.0.2.7', '0400000000000000000000ffffc0000207'],
  ['1:2:3:4:5:6:7:8', '0400010002000300040005000600070008'],
  ['fe80::1%eth0', '04fe800000000000000000000000000001'],
  ['db.branch', `0309${Buffer.from('db.branch').toString('hex')}`],
])('asks for %s', async (host, place) => {
  expect(await ask(host)).toMatchObject({ isOpen: true, request: `050100${place}1538` });
});

it.each([
  ['an address', '05000001c0000207153868656c6c6f'],
  ['a name', `0500000304${Buffer.from('here').toString('hex')}153868656c6c6f`],
  ['an IPv6 address', `05000004${'00'.repeat(16)}153868656c6c6f`],
])('leaves what follows an answer with %s to the host', async (_what, answer) => {
  expect(await ask('192.0.2.7', answer)).toMatchObject({ isOpen: true, rest: 'hello' });
});

it.each([
  ['the code of a refused connection', '05050001000000000000'],
  ['an unknown kind of address', '05000009000000000000'],
  ['another version', '04000001000000000000'],
  ['half of an answer', '050000'],
  ['nothing', ''],
])('reports no connection after %s', async (_what, answer) => {
  expect((await ask('192.0.2.7', answer)).isOpen).toBe(false);
});

it('asks for no name that a request cannot hold', async () => {
  expect(await ask('x'.repeat(256))).toMatchObject({ isOpen: false, request: '' });
  expect(await ask('')).toMatchObject({ isOpen: false, request: '' });
});
