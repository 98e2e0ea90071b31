import { expect, it } from 'vitest';
import { allocateNext, joinPdus } from './slab.ts';

const written = (bytes: number, value: number) => allocateNext(bytes).fill(value);
const join = (pdus: readonly Buffer[]) =>
  joinPdus(
    pdus,
    pdus.reduce((sum, { length }) => sum + length, 0),
  );

it('joins neighbours without a copy, and others with one', () => {
  const pdus = [10, 2000, 1].map((bytes, index) => written(bytes, index + 1));
  const joined = join(pdus);
  expect(joined.equals(Buffer.concat(pdus))).toBe(true);
  expect(joined.buffer).toBe(pdus[0]?.buffer);
  const other = written(5, 4);
  const apart = [...pdus, Buffer.from('between'), other];
  expect(join(apart).equals(Buffer.concat(apart))).toBe(true);
  const gap = [pdus[0], pdus[2]] as Buffer[];
  expect(join(gap).equals(Buffer.concat(gap))).toBe(true);
  expect(join([])).toHaveLength(0);
});

it('keeps the bytes of every PDU apart, across slabs and for large ones', () => {
  const sizes = Array.from({ length: 300 }, (_, index) => (index * 7919) % 30_000);
  const pdus = sizes.map((bytes, index) => written(bytes, index & 255));
  for (const [index, pdu] of pdus.entries()) {
    expect(pdu).toHaveLength(sizes[index] ?? -1);
    expect(pdu.every((byte) => byte === (index & 255))).toBe(true);
  }
  expect(join(pdus).equals(Buffer.concat(pdus))).toBe(true);
});
