import { expect, it } from 'vitest';
import { sizeOfShare } from '../../kit/rdp-frame/share-size.ts';
import { SizedShares } from './sized-shares.ts';

const u16 = (...values: readonly number[]) => values.flatMap((value) => [value & 255, value >> 8]);

/** A Demand Active with a short and a bitmap capability, behind the name of its source. */
function share(width: number, height: number, first = 1): Uint8Array<ArrayBuffer> {
  const sets = [
    ...u16(first, 4),
    ...u16(2, 28),
    ...u16(32, 1, 1, 1, width, height),
    ...Array(12).fill(0),
  ];
  const body = [...u16(1, 0, 4, sets.length + 4), 82, 68, 80, 0, ...u16(2, 0), ...sets];
  const whole = [...u16(body.length + 6, 0x11, 1002), ...body];
  const length = whole.length + 15;
  return Uint8Array.of(
    ...[3, 0, length >> 8, length & 255, 2, 0xf0, 0x80, 0x68, 0, 1, 3, 0xeb, 0x70],
    ...[0x80, whole.length],
    ...whole,
  );
}

const BITMAP = Uint8Array.of(0, 4, 1, 1);

function rig() {
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [800, 600];
  const begun = Promise.withResolvers<void>();
  const events: string[] = [];
  const shares = new SizedShares(canvas, {
    begun: begun.promise,
    deliver: (pdu) => {
      const size = sizeOfShare(pdu);
      const what = size ? `share ${size.width}` : 'bitmap';
      events.push(`${what} on ${canvas.width}x${canvas.height}`);
    },
    onSize: ({ width, height }) => events.push(`size ${width}x${height}`),
  });
  return { shares, events, begin: begun.resolve };
}

it('resizes the canvas after the pictures of the old size, and before those of the new one', async () => {
  const { shares, events, begin } = rig();
  const pdus = [share(800, 600), BITMAP, share(1024, 700), BITMAP, share(640, 480), BITMAP];
  for (const pdu of pdus) shares.deliver(pdu);
  expect(events).toEqual(['share 800 on 800x600', 'bitmap on 800x600']);
  begin();
  await shares.settled();
  shares.deliver(BITMAP);
  expect(events.slice(2)).toEqual([
    ...['size 1024x700', 'share 1024 on 1024x700', 'bitmap on 1024x700'],
    ...['size 640x480', 'share 640 on 640x480', 'bitmap on 640x480', 'bitmap on 640x480'],
  ]);
});

it('reports no size for a share that keeps it', async () => {
  const { shares, events, begin } = rig();
  begin();
  for (const pdu of [share(800, 600), share(800, 600)]) shares.deliver(pdu);
  await shares.settled();
  expect(events).toEqual(['share 800 on 800x600', 'share 800 on 800x600']);
});

it('reads no size from other PDUs and from cut ones', () => {
  const whole = share(1024, 700);
  expect(sizeOfShare(whole)).toEqual({ width: 1024, height: 700 });
  expect(sizeOfShare(share(1024, 700, 2))).toEqual({ width: 1024, height: 700 });
  expect(sizeOfShare(BITMAP)).toBeUndefined();
  for (let length = 0; length < whole.length - 12; length++)
    expect(sizeOfShare(whole.subarray(0, length))).toBeUndefined();
  expect(sizeOfShare(share(0, 700))).toBeUndefined();
  expect(sizeOfShare(share(40_000, 40_000))).toBeUndefined();
  const confirm = whole.slice();
  confirm[17] = 0x13;
  expect(sizeOfShare(confirm)).toBeUndefined();
});

it('reads no size from a piece of a file whose bytes look like a share', () => {
  const whole = share(1024, 700);
  // The head of a piece is the length of its message, 0x1000c, and its place in it.
  whole.set([0x0c, 0, 1, 0], 15);
  expect(sizeOfShare(whole)).toBeUndefined();
});
