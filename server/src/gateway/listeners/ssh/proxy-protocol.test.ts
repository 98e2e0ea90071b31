import { expect, it } from 'vitest';
import { readProxyHeader } from './proxy-protocol.ts';

const SIGNATURE = Buffer.from('\r\n\r\n\0\r\nQUIT\n', 'latin1');
const binary = (version: number, family: number, body: Buffer) =>
  Buffer.concat([
    SIGNATURE,
    Buffer.from([version, family, body.length >> 8, body.length & 0xff]),
    body,
  ]);
const IPV4 = Buffer.from([192, 0, 2, 7, 10, 0, 0, 1, 0x30, 0x39, 0, 22]);

it('parses version 1', () => {
  expect(readProxyHeader(Buffer.from('PROXY TCP4 192.0.2.7 10.0.0.1 12345 22\r\nSSH-'))).toEqual({
    bytes: 40,
    address: '192.0.2.7',
  });
  expect(readProxyHeader(Buffer.from('PROXY TCP6 2001:db8::7 ::1 12345 22\r\n'))).toMatchObject({
    address: '2001:db8::7',
  });
  expect(readProxyHeader(Buffer.from('PROXY UNKNOWN\r\n'))).toEqual({
    bytes: 15,
    address: undefined,
  });
});

it('parses version 2 with extra fields, and health checks of the proxy itself', () => {
  expect(readProxyHeader(binary(0x21, 0x11, Buffer.concat([IPV4, Buffer.alloc(9)])))).toEqual({
    bytes: 37,
    address: '192.0.2.7',
  });
  const ipv6 = Buffer.concat([
    Buffer.from('20010db8000000000000000000000007', 'hex'),
    Buffer.alloc(20),
  ]);
  expect(readProxyHeader(binary(0x21, 0x21, ipv6))).toMatchObject({ address: '2001:db8::7' });
  expect(readProxyHeader(binary(0x20, 0x00, Buffer.alloc(0)))).toEqual({
    bytes: 16,
    address: undefined,
  });
});

it('waits for the rest of a header that is split anywhere', () => {
  for (const whole of [
    Buffer.from('PROXY TCP4 192.0.2.7 10.0.0.1 12345 22\r\n'),
    binary(0x21, 0x11, IPV4),
  ])
    for (let length = 1; length < whole.length; length++)
      expect(readProxyHeader(whole.subarray(0, length))).toBe('more');
});

it('rejects anything else', () => {
  const wrong = [
    'SSH-2.0-OpenSSH',
    'PROXY TCP4 nonsense 10.0.0.1 1 2\r\n',
    'PROXY TCP4 2001:db8::7 ::1 1 2\r\n',
    `PROXY TCP4 ${'1'.repeat(200)}`,
  ];
  for (const text of wrong)
    expect([text, readProxyHeader(Buffer.from(text))]).toEqual([text, 'none']);
  expect(readProxyHeader(binary(0x11, 0x11, IPV4))).toBe('none');
  expect(readProxyHeader(binary(0x21, 0x11, Buffer.alloc(4)))).toBe('none');
  expect(readProxyHeader(binary(0x21, 0x11, Buffer.alloc(60_000)).subarray(0, 100))).toBe('none');
});
