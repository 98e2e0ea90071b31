import { createDecipheriv, createSecretKey, randomBytes, randomFillSync } from 'node:crypto';
import { expect, it } from 'vitest';
import { GcmCipher } from './gcm-cipher.ts';

const PLAIN_AT = 5;

/** A cipher and the packets that a peer decrypts, in order. */
function pair(nonce = randomBytes(12)) {
  const key = createSecretKey(randomBytes(16));
  const peerNonce = Buffer.from(nonce);
  const written: Buffer[] = [];
  const cipher = new GcmCipher({
    name: 'aes-128-gcm',
    key,
    nonce,
    firstSequence: 7,
    onWrite: (bytes) => written.push(bytes),
    fillRandom: randomFillSync,
  });
  return {
    cipher,
    nonce,
    written,
    send(payload: Buffer) {
      const packet = cipher.allocPacket(payload.length);
      payload.copy(packet, PLAIN_AT);
      cipher.encrypt(packet);
    },
    /** Decrypts the next packet with a nonce that the peer counts as one number of 64 bits. */
    receive(): Buffer {
      const stream = Buffer.concat(written.splice(0));
      const end = 4 + stream.readUInt32BE();
      const [length, body] = [stream.subarray(0, 4), stream.subarray(4, end)];
      const tag = stream.subarray(end, end + 16);
      expect([body.length, body.length % 16, tag.length]).toEqual([end - 4, 0, 16]);
      written.push(stream.subarray(end + 16));
      const decipher = createDecipheriv('aes-128-gcm', key, peerNonce);
      decipher.setAAD(length).setAuthTag(tag);
      const plain = Buffer.concat([decipher.update(body), decipher.final()]);
      peerNonce.writeBigUInt64BE(BigInt.asUintN(64, peerNonce.readBigUInt64BE(4) + 1n), 4);
      const padding = plain[0] ?? 0;
      expect(padding).toBeGreaterThanOrEqual(4);
      return plain.subarray(1, plain.length - padding);
    },
  };
}

it('encrypts packets of every size for a peer that knows the key', () => {
  const { send, receive, cipher } = pair();
  const payloads = [0, 1, 9, 10, 11, 15, 16, 4_090, 4_096, 32_777, 65_520, 65_536, 200_000].map(
    (size) => randomBytes(size),
  );
  for (const payload of payloads) send(payload);
  for (const payload of payloads) expect(receive().equals(payload)).toBe(true);
  expect(cipher.outSeqno).toBe(7 + payloads.length);
});

it('writes the packet of a key at once, and a large one without joining its parts', () => {
  const { send, written } = pair();
  send(Buffer.from('k'));
  expect(written).toHaveLength(1);
  send(randomBytes(32_768));
  expect(written).toHaveLength(1 + 3);
});

it('carries the counter of the nonce and leaves its fixed part', () => {
  const nonce = Buffer.concat([Buffer.alloc(4, 0xff), Buffer.alloc(8, 0xff)]);
  const { send, receive } = pair(nonce);
  for (const text of ['last', 'first', 'second']) send(Buffer.from(text));
  expect([receive(), receive(), receive()].map(String)).toEqual(['last', 'first', 'second']);
  expect(nonce.toString('hex')).toBe('ffffffff0000000000000002');
});

it('keeps large packets apart that are begun before the one before is encrypted', () => {
  const [one, other] = [pair(), pair()];
  const payloads = [randomBytes(32_768), randomBytes(32_768)] as const;
  const packets = [one.cipher.allocPacket(32_768), other.cipher.allocPacket(32_768)] as const;
  payloads[0].copy(packets[0], PLAIN_AT);
  payloads[1].copy(packets[1], PLAIN_AT);
  one.cipher.encrypt(packets[0]);
  other.cipher.encrypt(packets[1]);
  expect(one.receive().equals(payloads[0])).toBe(true);
  expect(other.receive().equals(payloads[1])).toBe(true);
});

it('writes nothing after its connection has ended, and lends the memory again', () => {
  const { cipher, send } = pair();
  cipher.free();
  send(randomBytes(32_768));
  const next = pair();
  const packet = next.cipher.allocPacket(32_768);
  expect(next.cipher.allocPacket(32_768).buffer).not.toBe(packet.buffer);
  next.cipher.encrypt(packet);
  expect(next.cipher.allocPacket(32_768).buffer).toBe(packet.buffer);
});
