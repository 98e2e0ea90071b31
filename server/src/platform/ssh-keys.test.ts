import { readUserKey } from '@sallyport/ssh';
import { describe, expect, it } from 'vitest';
import { createSecurityDevice, type SecurityDevice } from '../testing/ssh/security-device.ts';
import { fingerprintOf, isSamePublicKey, userKeyProblem, wireOf } from './ssh-keys.ts';

const text = Buffer.from('a request of a sign-in');
/** The signature as a sign-in passes it on: without its algorithm and the length of its body. */
const signatureOf = (device: SecurityDevice, flags?: number) => {
  const whole = device.sign(text, flags);
  return whole.subarray(4 + whole.readUInt32BE() + 4);
};

describe.each(['ed25519', 'ecdsa'] as const)('a security device with %s', (type) => {
  const device = createSecurityDevice(type);
  const key = readUserKey(device.wire);

  it('reads the line and the wire format of a device as the same key', () => {
    expect(userKeyProblem(device.line)).toBeUndefined();
    expect(wireOf(`  ${device.line}\n`)).toEqual(device.wire);
    expect(key?.type).toBe(device.line.split(' ')[0]);
    expect(isSamePublicKey(device.line, device.wire)).toBe(true);
    expect(isSamePublicKey(device.line, createSecurityDevice(type).wire)).toBe(false);
    expect(fingerprintOf(device.line)).toBe(fingerprintOf(device.wire));
  });

  it('verifies a hundred signatures of the device', () => {
    for (let round = 0; round < 100; round++)
      expect(key?.verify(text, signatureOf(device))).toBe(true);
  });

  it('rejects a signature without a touch, of another text, key or application', () => {
    expect(key?.verify(text, signatureOf(device, 0))).toBe(false);
    // A verified user who did not touch the device.
    expect(key?.verify(text, signatureOf(device, 4))).toBe(false);
    expect(key?.verify(Buffer.from('another request'), signatureOf(device))).toBe(false);
    expect(key?.verify(text, signatureOf(createSecurityDevice(type)))).toBe(false);
    const renamed = Buffer.from(device.wire);
    renamed.write('ssX:', renamed.length - 4);
    expect(readUserKey(renamed)?.verify(text, signatureOf(device))).toBe(false);
  });

  it('rejects every changed, cut or extended signature', () => {
    const signature = signatureOf(device);
    for (let at = 0; at < signature.length; at++) {
      const changed = Buffer.from(signature);
      changed[at] = (changed[at] ?? 0) ^ 0x40;
      expect([at, key?.verify(text, changed)]).toEqual([at, false]);
      expect([at, key?.verify(text, signature.subarray(0, at))]).toEqual([at, false]);
    }
    expect(key?.verify(text, Buffer.concat([signature, Buffer.from([0])]))).toBe(false);
  });

  it('rejects a cut, extended or empty key, and a line of another type', () => {
    for (let at = 0; at < device.wire.length; at++)
      expect([at, readUserKey(device.wire.subarray(0, at))]).toEqual([at, undefined]);
    const longer = Buffer.concat([device.wire, Buffer.from([0])]);
    expect(readUserKey(longer)).toBeUndefined();
    const body = device.line.split(' ')[1];
    for (const line of [
      `ssh-ed25519 ${body}`,
      `sk-ssh-rsa@openssh.com ${body}`,
      `sk-ssh-ed25519-cert-v01@openssh.com ${body}`,
      device.line.split(' ')[0],
    ])
      expect([line, userKeyProblem(line ?? '')]).toEqual([line, { code: 'not_public_key' }]);
  });
});
