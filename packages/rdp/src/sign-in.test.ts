import { limitOf, runs } from '@sallyport/property-runs';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { BadPdu } from './byte-reader.ts';
import { readTsRequest, writeTsRequest } from './credssp.ts';
import { der, readDer } from './der.ts';
import { md4, Rc4 } from './legacy-crypto.ts';
import { connectionRequest, NegotiationRefused, readConfirm } from './negotiation.ts';
import {
  accountKey,
  authenticate,
  NtlmSeal,
  negotiateMessage,
  prove,
  readChallenge,
} from './ntlm.ts';

const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex');

it('computes MD4 like RFC 1320', () => {
  expect(md4(Buffer.from('')).toString('hex')).toBe('31d6cfe0d16ae931b73c59d7e0c089c0');
  expect(md4(Buffer.from('abc')).toString('hex')).toBe('a448017aaf21d8525fc10ae87aa6729d');
  expect(
    md4(
      Buffer.from(
        '12345678901234567890123456789012345678901234567890123456789012345678901234567890',
      ),
    ).toString('hex'),
  ).toBe('e33b4ddc9c38f2199c3e7b164fcc0536');
});

it('computes RC4 like RFC 6229, in one call and in several', () => {
  const zeros = Buffer.alloc(32);
  const stream = 'b2396305f03dc027ccc3524a0a1118a86982944f18fc82d589c403a47a0d0919';
  expect(new Rc4(hex('0102030405')).apply(zeros).toString('hex')).toBe(stream);
  const cipher = new Rc4(hex('0102030405'));
  const pieces = [1, 7, 24].map((length) => cipher.apply(Buffer.alloc(length)));
  expect(Buffer.concat(pieces).toString('hex')).toBe(stream);
});

/** MS-NLMP 4.2.1 and 4.2.4. */
const SAMPLE = { domain: 'Domain', username: 'User', password: 'Password' };
const SAMPLE_TEMP = hex(
  `
  0101000000000000 0000000000000000 aaaaaaaaaaaaaaaa 00000000
  02000c00 44006f006d00610069006e00 01000c00 530065007200760065007200 00000000 00000000`.replaceAll(
    /\s/g,
    '',
  ),
);

it('computes NTLMv2 keys, proofs and seals like the examples of MS-NLMP', () => {
  const key = accountKey(SAMPLE);
  expect(key.toString('hex')).toBe('0c868a403bfd7a93a3001ef22ef02e3f');
  const { proof, baseKey } = prove(key, hex('0123456789abcdef'), SAMPLE_TEMP);
  expect(proof.toString('hex')).toBe('68cd0ab851e51c96aabc927bebef6a1c');
  expect(baseKey.toString('hex')).toBe('8de40ccadbc14a82f15cb0ad0de95ca3');
  const sealed = new NtlmSeal(Buffer.alloc(16, 0x55)).wrap(Buffer.from('Plaintext', 'utf16le'));
  expect(sealed.toString('hex')).toBe(
    '010000007fb38ec5c55d497600000000' + '54e50165bf1936dc996020c1811b0f06fb5f',
  );
});

/** A CHALLENGE_MESSAGE of a server. */
function challengeOf(pairs: readonly (readonly [number, Buffer])[], flags = 0xe28a8235): Buffer {
  const info = Buffer.concat([
    ...pairs.flatMap(([kind, value]) => [Buffer.from([kind, 0, value.length, 0]), value]),
    Buffer.alloc(4),
  ]);
  const head = Buffer.alloc(56);
  head.write('NTLMSSP\0', 'latin1');
  head.writeUInt32LE(2, 8);
  head.writeUInt32LE(flags, 20);
  hex('0123456789abcdef').copy(head, 24);
  head.writeUInt16LE(info.length, 40);
  head.writeUInt16LE(info.length, 42);
  head.writeUInt32LE(56, 44);
  return Buffer.concat([head, info]);
}

it('answers a challenge with the account, and adds a MIC if the server sends a timestamp', () => {
  const choices = {
    clientChallenge: Buffer.alloc(8, 0xaa),
    sessionKey: Buffer.alloc(16, 0x55),
    timestamp: Buffer.alloc(8),
  };
  const old = authenticate(
    SAMPLE,
    negotiateMessage(),
    challengeOf([
      [2, Buffer.from('Domain', 'utf16le')],
      [1, Buffer.from('Server', 'utf16le')],
    ]),
    choices,
  ).message;
  const field = (message: Buffer, at: number) =>
    message.subarray(
      message.readUInt32LE(at + 4),
      message.readUInt32LE(at + 4) + message.readUInt16LE(at),
    );
  expect(field(old, 20).subarray(0, 16).toString('hex')).toBe('68cd0ab851e51c96aabc927bebef6a1c');
  expect(field(old, 12).toString('hex')).toBe('86c35097ac9cec102554764a57cccc19aaaaaaaaaaaaaaaa');
  expect(field(old, 52).toString('hex')).toBe('c5dad2544fc9799094ce1ce90bc9d03e');
  expect(field(old, 36).toString('utf16le')).toBe('User');
  expect(old.subarray(72, 88).equals(Buffer.alloc(16))).toBe(true);
  const timed = authenticate(
    SAMPLE,
    negotiateMessage(),
    challengeOf([[7, Buffer.alloc(8, 3)]]),
    choices,
  ).message;
  expect(field(timed, 12).equals(Buffer.alloc(24))).toBe(true);
  expect(timed.subarray(72, 88).equals(Buffer.alloc(16))).toBe(false);
});

it('rejects a challenge without protection, or with wrong lengths', () => {
  expect(() => readChallenge(challengeOf([], 0x8201))).toThrow(BadPdu);
  const long = challengeOf([]);
  long.writeUInt16LE(500, 40);
  expect(() => readChallenge(long)).toThrow(BadPdu);
  expect(() =>
    readChallenge(challengeOf(Array.from({ length: 80 }, () => [1, Buffer.alloc(0)] as const))),
  ).toThrow(BadPdu);
});

it('rejects messages sealed with another key', () => {
  const seal = new NtlmSeal(Buffer.alloc(16, 1));
  expect(() => seal.unwrap(new NtlmSeal(Buffer.alloc(16, 2)).wrap(Buffer.from('text')))).toThrow(
    BadPdu,
  );
  expect(() => seal.unwrap(Buffer.alloc(4))).toThrow(BadPdu);
});

it(
  'parses its own CredSSP messages, and throws only BadPdu on random input',
  () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 300 }),
        fc.uint8Array({ minLength: 1, maxLength: 300 }),
        (token, key) => {
          const read = readTsRequest(
            writeTsRequest({
              token: Buffer.from(token),
              pubKeyAuth: Buffer.from(key),
              nonce: Buffer.alloc(32),
            }),
          );
          expect(read.version).toBe(6);
          expect(read.token?.equals(Buffer.from(token))).toBe(true);
          expect(read.pubKeyAuth?.equals(Buffer.from(key))).toBe(true);
        },
      ),
      runs(),
    );
    const whole = writeTsRequest({ token: Buffer.from('token'), pubKeyAuth: Buffer.from('key') });
    fc.assert(
      fc.property(
        fc.nat({ max: whole.length - 1 }),
        fc.nat({ max: 255 }),
        fc.nat({ max: whole.length }),
        (at, value, length) => {
          const changed = Buffer.from(whole);
          changed[at] = value;
          onlyBadPdu(() => readTsRequest(changed.subarray(0, length)));
        },
      ),
      runs(500),
    );
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        onlyBadPdu(() => readDer(Buffer.from(bytes)));
        onlyBadPdu(() =>
          readChallenge(Buffer.concat([challengeOf([]).subarray(0, 40), Buffer.from(bytes)])),
        );
        onlyBadPdu(() => readConfirm(Buffer.from(bytes), 3));
      }),
      runs(500),
    );
    expect(() => readTsRequest(der(0x30, Buffer.alloc(0)))).toThrow(BadPdu);
  },
  limitOf(20_000),
);

function onlyBadPdu(read: () => unknown): void {
  try {
    read();
  } catch (error) {
    if (!(error instanceof BadPdu) && !(error instanceof NegotiationRefused)) throw error;
  }
}

it('sends the security offer in the first message, without line breaks from the name', () => {
  const request = connectionRequest('ad\r\nmin\u{1F600}istrator', 3);
  expect(request.toString('latin1')).toContain('Cookie: mstshash=administr\r\n');
  expect(request.readUInt16BE(2)).toBe(request.length);
  expect(request.readUInt8(4)).toBe(request.length - 5);
  expect(request.subarray(-8)).toEqual(hex('0100080003000000'));
});

it('rejects a server without TLS', () => {
  const confirm = (tail: string) => {
    const bytes = Buffer.concat([hex('030000000ed000000000 00'), hex(tail)]);
    bytes.writeUInt16BE(bytes.length, 2);
    bytes.writeUInt8(bytes.length - 5, 4);
    return bytes;
  };
  expect(readConfirm(confirm('0200080001000000'), 3)).toBe(1);
  expect(readConfirm(confirm('0200080002000000'), 3)).toBe(2);
  expect(() => readConfirm(confirm('0200080000000000'), 3)).toThrow(NegotiationRefused);
  // The server must choose one of the offered protocols.
  expect(() => readConfirm(confirm('0200080001000000'), 2)).toThrow(NegotiationRefused);
  expect(() => readConfirm(confirm('0200080002000000'), 1)).toThrow(NegotiationRefused);
  expect(() => readConfirm(confirm('0300080002000000'), 3)).toThrow(NegotiationRefused);
  expect(() => readConfirm(confirm(''), 3)).toThrow(NegotiationRefused);
  expect(() => readConfirm(confirm('0900080001000000'), 3)).toThrow(BadPdu);
});
