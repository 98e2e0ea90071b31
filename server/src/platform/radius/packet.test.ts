import { createHash, createHmac } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { runs } from '@sallyport/property-runs';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { askRadius } from './client.ts';
import { accessRequest, readAnswer, unsignedKind } from './packet.ts';

const SECRET = 'a shared secret';

/** Encodes an answer of a server (RFC 2865 §3, RFC 3579 §3.2). */
function answerOf(
  kind: number,
  request: { readonly identifier: number; readonly authenticator: Buffer },
  secret = SECRET,
  {
    messages = ['hello'],
    isSigned = true,
  }: { readonly messages?: readonly (string | Buffer)[]; readonly isSigned?: boolean } = {},
): Buffer {
  const texts = messages.map((message) => {
    const text = Buffer.from(message);
    return Buffer.concat([Buffer.from([18, text.length + 2]), text]);
  });
  const signature = isSigned ? [Buffer.from([80, 18]), Buffer.alloc(16)] : [];
  const packet = Buffer.concat([
    Buffer.from([kind, request.identifier, 0, 0]),
    request.authenticator,
    ...signature,
    ...texts,
  ]);
  packet.writeUInt16BE(packet.length, 2);
  if (isSigned) createHmac('md5', secret).update(packet).digest().copy(packet, 22);
  createHash('md5').update(packet).update(secret).digest().copy(packet, 4);
  return packet;
}

it('reads an answer signed with the shared secret', () => {
  const request = accessRequest('li.wei', 'secret', { secret: SECRET, identifier: 'sallyport' });
  for (const [number, kind] of [
    [2, 'accept'],
    [3, 'reject'],
    [11, 'challenge'],
  ] as const)
    expect(readAnswer(answerOf(number, request), request, SECRET)).toEqual({
      kind,
      username: undefined,
      message: 'hello',
      state: undefined,
    });
  // Bytes after the packet in its datagram are padding (RFC 2865 §3).
  expect(
    readAnswer(Buffer.concat([answerOf(2, request), Buffer.alloc(9)]), request, SECRET)?.kind,
  ).toBe('accept');
});

it('reads several messages as lines, and full ones as one text', () => {
  const request = accessRequest('li.wei', 'secret', { secret: SECRET, identifier: 'sallyport' });
  const messageOf = (...messages: string[]) =>
    readAnswer(answerOf(11, request, SECRET, { messages }), request, SECRET)?.message;
  expect(messageOf('Enter the code.', 'It is on your phone.')).toBe(
    'Enter the code.\nIt is on your phone.',
  );
  expect(messageOf('x'.repeat(253), 'y', 'z')).toBe(`${'x'.repeat(253)}y\nz`);
  expect(messageOf()).toBe('');
});

it.each([
  ['UTF-8', Buffer.from('密码已过期 – naïve')],
  ['GBK', Buffer.from('c3dcc2ebd2d1b9fdc6da', 'hex')],
  ['Latin 1', Buffer.from('Votre mot de passe a expir\xe9.', 'latin1')],
  ['Latin 1 with two such letters in a row', Buffer.from('Gr\xf6\xdfe: 5 \xfcber', 'latin1')],
])('reads a message in %s', (_, bytes) => {
  const request = accessRequest('li.wei', 'secret', { secret: SECRET, identifier: 'sallyport' });
  const message = readAnswer(answerOf(3, request, SECRET, { messages: [bytes] }), request, SECRET);
  expect(message?.message).toMatch(
    /^(?:密码已过期 – naïve|密码已过期|Votre mot de passe a expiré\.|Größe: 5 über)$/,
  );
});

it('names an answer that lacks only its signature, which proves nothing', () => {
  const request = accessRequest('li.wei', 'secret', { secret: SECRET, identifier: 'sallyport' });
  const unsigned = answerOf(11, request, SECRET, { isSigned: false });
  expect(unsignedKind(unsigned, request, SECRET)).toBe('challenge');
  expect(readAnswer(unsigned, request, SECRET)).toBeUndefined();
  expect(unsignedKind(answerOf(11, request), request, SECRET)).toBeUndefined();
  expect(unsignedKind(unsigned, request, 'another')).toBeUndefined();
  for (let length = 0; length < unsigned.length; length++)
    expect(unsignedKind(unsigned.subarray(0, length), request, SECRET)).toBeUndefined();
});

it('ignores an answer with another secret, to another request, or with any changed byte', () => {
  const request = accessRequest('li.wei', 'secret', { secret: SECRET, identifier: 'sallyport' });
  const other = accessRequest('li.wei', 'secret', { secret: SECRET, identifier: 'sallyport' });
  expect(readAnswer(answerOf(2, request, 'another'), request, SECRET)).toBeUndefined();
  expect(
    readAnswer(answerOf(2, { ...other, identifier: request.identifier }), request, SECRET),
  ).toBeUndefined();
  const good = answerOf(2, request);
  fc.assert(
    fc.property(fc.nat(good.length - 1), fc.integer({ min: 1, max: 255 }), (at, mask) => {
      const changed = Buffer.from(good);
      changed[at] = (changed[at] ?? 0) ^ mask;
      return readAnswer(changed, request, SECRET) === undefined;
    }),
    runs(500),
  );
  for (let length = 0; length < good.length; length++)
    expect(readAnswer(good.subarray(0, length), request, SECRET)).toBeUndefined();
});

it('ignores random bytes without an error', () => {
  const request = accessRequest('li.wei', 'secret', { secret: SECRET, identifier: 'sallyport' });
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 5_000 }),
      (bytes) => readAnswer(Buffer.from(bytes), request, SECRET) === undefined,
    ),
    runs(300),
  );
});

it('hides the password in a request and rejects oversized names and passwords', () => {
  const { packet } = accessRequest('li.wei', 'a very secret one', {
    secret: SECRET,
    identifier: 'sallyport',
  });
  expect(packet.includes('li.wei')).toBe(true);
  expect(packet.includes('secret')).toBe(false);
  expect(() =>
    accessRequest('li.wei', 'x'.repeat(129), { secret: SECRET, identifier: 's' }),
  ).toThrow(RangeError);
  expect(() => accessRequest('x'.repeat(254), 'x', { secret: SECRET, identifier: 's' })).toThrow(
    RangeError,
  );
});

it('limits the total time of silent servers', async () => {
  const silent = createSocket('udp4');
  silent.bind(0, '127.0.0.1');
  await once(silent, 'listening');
  const server = { host: '127.0.0.1', port: silent.address().port };
  const request = askRadius(
    {
      servers: [server, server, server],
      secret: SECRET,
      identifier: 's',
      seconds: 60,
      totalSeconds: 0.2,
    },
    'li.wei',
    'x',
  );
  await expect(request).rejects.toThrow(
    /no answer; .*not asked, the others took too long; .*not asked/,
  );
  silent.close();
});
