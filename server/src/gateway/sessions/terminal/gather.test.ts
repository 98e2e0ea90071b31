import { expect, it } from 'vitest';
import { MAX_GATHERED } from '../../limits.ts';
import { Gather } from './gather.ts';

it('joins the pieces of one tick in order, whatever their number and length', async () => {
  const passed: Buffer[] = [];
  const gather = new Gather((all) => passed.push(all));
  const sent = Buffer.from(Array.from({ length: MAX_GATHERED - 1 }, (_, at) => at % 251));
  // Single bytes with longer pieces between them.
  for (let at = 0, length = 1; at < sent.length; at += length, length = at % 1000 === 0 ? 300 : 1)
    gather.push(sent.subarray(at, at + length));
  expect([gather.waiting, passed.length]).toEqual([sent.length, 0]);
  await new Promise((done) => setImmediate(done));
  expect([gather.waiting, passed.length]).toEqual([0, 1]);
  expect(passed[0]?.equals(sent)).toBe(true);
});

it('passes a full batch on at once, and starts a new one with the next piece', () => {
  const passed: Buffer[] = [];
  const gather = new Gather((all) => passed.push(all));
  for (let turn = 0; turn < 2 * MAX_GATHERED; turn++) gather.push(Buffer.from([turn % 251]));
  expect(passed.map(({ length }) => length)).toEqual([MAX_GATHERED, MAX_GATHERED]);
  gather.push(Buffer.from('the rest'));
  gather.flush();
  gather.flush();
  expect(passed.map(String).at(-1)).toBe('the rest');
  expect(passed).toHaveLength(3);
  expect(
    Buffer.concat(passed)
      .subarray(0, 2 * MAX_GATHERED)
      .every((byte, at) => byte === at % 251),
  ).toBe(true);
});
