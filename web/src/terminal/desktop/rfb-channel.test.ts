import { describe, expect, it } from 'vitest';
import { typedKeys } from './keys.ts';
import { RfbChannel } from './rfb-channel.ts';

/** A ClientCutText with a signed length and some content. */
function cutText(length: number): Uint8Array {
  const bytes = new Uint8Array(8 + Math.abs(length));
  bytes[0] = 6;
  new DataView(bytes.buffer).setInt32(4, length);
  return bytes;
}

function shakenChannel() {
  const sent: number[][] = [];
  const facts = { protocol: 'vnc', width: 10, height: 10, name: 'box' } as const;
  const channel = new RfbChannel(facts, (bytes) => sent.push([...bytes]));
  channel.send(new TextEncoder().encode('RFB 003.008\n'));
  channel.send(Uint8Array.of(1));
  channel.send(Uint8Array.of(1));
  return { channel, sent };
}

describe('a text for the clipboard of a VNC desktop', () => {
  it('holds a text that noVNC would send as Latin-1', () => {
    const { channel, sent } = shakenChannel();
    const inParts = () => {
      const whole = cutText(20_000);
      for (let at = 0; at < whole.length; at += 10_240) channel.send(whole.slice(at, at + 10_240));
    };
    expect(channel.offersWhole(() => channel.send(cutText(3)))).toBe(false);
    expect(channel.offersWhole(inParts)).toBe(false);
    expect(sent).toEqual([]);
    channel.send(cutText(3));
    expect(sent).toHaveLength(1);
  });

  it('sends an offer of the extended clipboard', () => {
    const { channel, sent } = shakenChannel();
    expect(channel.offersWhole(() => channel.send(cutText(-4)))).toBe(true);
    expect(sent).toHaveLength(1);
  });

  it('leaves other messages alone, also after an error', () => {
    const { channel, sent } = shakenChannel();
    const fail = () => {
      throw new Error('disconnected');
    };
    expect(() => channel.offersWhole(fail)).toThrow('disconnected');
    channel.send(cutText(0));
    expect(channel.offersWhole(() => channel.send(Uint8Array.of(4, 1, 0, 0, 0, 0, 0, 65)))).toBe(
      true,
    );
    expect(sent).toHaveLength(2);
  });
});

it('types each character of a text as its key, and no control character', () => {
  expect(typedKeys('a\r\n\tä世😀\u0000\u001b').map(([keysym]) => keysym)).toEqual([
    0x61, 0xff0d, 0xff09, 0xe4, 0x0100_4e16, 0x0101_f600,
  ]);
});
