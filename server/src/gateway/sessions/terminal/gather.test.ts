import { expect, it } from 'vitest';
import { MAX_GATHERED } from '../../limits.ts';
import { Gather } from './gather.ts';

/** Bytes of a piece that waits for more. */
const LARGE = 1024;

it('passes the first key of a turn at once, and joins the keys that follow it', async () => {
  const passed: string[] = [];
  const gather = new Gather((all) => passed.push(String(all)));
  for (const key of 'keys') gather.push(Buffer.from(key));
  expect([passed, gather.waiting]).toEqual([['k'], 3]);
  await new Promise((done) => setImmediate(done));
  gather.push(Buffer.from('again'));
  expect([passed, gather.waiting]).toEqual([['k', 'eys', 'again'], 0]);
});

it('joins the pieces of one turn in order, whatever their number and length', async () => {
  const passed: Buffer[] = [];
  const gather = new Gather((all) => passed.push(all));
  gather.push(Buffer.alloc(LARGE));
  const sent = Buffer.from(Array.from({ length: MAX_GATHERED - 1 - LARGE }, (_, at) => at % 251));
  // Single bytes with longer pieces between them.
  for (let at = 0, length = 1; at < sent.length; at += length, length = at % 1000 === 0 ? 300 : 1)
    gather.push(sent.subarray(at, at + length));
  expect([gather.waiting, passed.length]).toEqual([LARGE + sent.length, 0]);
  await new Promise((done) => setImmediate(done));
  expect([gather.waiting, passed.length]).toEqual([0, 1]);
  expect(passed[0]?.subarray(LARGE).equals(sent)).toBe(true);
});

it('passes a full batch on at once, and starts a new one with the next piece', () => {
  const passed: Buffer[] = [];
  const gather = new Gather((all) => passed.push(all));
  for (let turn = 0; turn <= 2 * MAX_GATHERED; turn++) gather.push(Buffer.from([turn % 251]));
  expect(passed.map(({ length }) => length)).toEqual([1, MAX_GATHERED, MAX_GATHERED]);
  gather.push(Buffer.from('the rest'));
  gather.flush();
  gather.flush();
  expect(passed.map(String).at(-1)).toBe('the rest');
  expect(passed).toHaveLength(4);
  expect(
    Buffer.concat(passed)
      .subarray(0, 2 * MAX_GATHERED)
      .every((byte, at) => byte === at % 251),
  ).toBe(true);
});
