import { expect, it } from 'vitest';
import { clientMessages, type PageSide } from './client-messages.ts';
import { StreamParser, UnknownData } from './stream-parser.ts';

/** Feeds a page's bytes, one at a time, and returns the forwarded messages and the reports. */
function feed(bytes: Buffer, mayPaste = false): { sent: Buffer[]; reports: unknown[] } {
  const sent: Buffer[] = [];
  const reports: unknown[] = [];
  const side: PageSide = {
    send: (message) => sent.push(Buffer.from(message)),
    encodings: (supported) => reports.push({ supported }),
    onInput: (pointer) => reports.push({ pointer }),
    key: (keysym, isDown) => reports.push({ keysym, isDown }),
    checkSize: (width, height) => {
      if (width * height === 0) throw new UnknownData('an empty desktop');
    },
    mayPaste: () => mayPaste,
  };
  const parser = new StreamParser(clientMessages(side));
  for (let at = 0; at < bytes.length; at++) parser.feed(bytes.subarray(at, at + 1));
  return { sent, reports };
}

const key = Buffer.from([4, 1, 0, 0, 0, 0, 0xff, 0x0d]);
const pointer = Buffer.from([5, 1, 0, 10, 0, 20]);

it('forwards keys and the pointer, and reports them', () => {
  const { sent, reports } = feed(Buffer.concat([key, pointer]));
  expect(sent).toEqual([key, pointer]);
  expect(reports).toEqual([
    { keysym: 0xff0d, isDown: true },
    { pointer: undefined },
    { pointer: { buttons: 1, x: 10, y: 20 } },
  ]);
});

it('drops pixel formats and the message that shuts a machine down', () => {
  const { sent } = feed(Buffer.concat([Buffer.alloc(20), Buffer.from([250, 0, 1, 2]), key]));
  expect(sent).toEqual([key]);
});

it('forwards a text only if it may pass', () => {
  const text = Buffer.from([6, 0, 0, 0, 0, 0, 0, 2, 0x68, 0x69]);
  expect(feed(text, true).sent).toEqual([text]);
  expect(feed(text, false).sent).toEqual([]);
});

it.each([
  ['an unknown message', [99]],
  ['a text above the limit', [6, 0, 0, 0, 0, 0x10, 0, 0]],
  ['more encodings than defined', [2, 0, 0xff, 0xff]],
  ['an empty size', [251, 0, 0, 0, 0, 0, 0, 0]],
])('rejects %s', (_name, bytes) => {
  expect(() => feed(Buffer.from(bytes))).toThrow(UnknownData);
});
