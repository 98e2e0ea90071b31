import { deflateSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { mayPass } from './client-messages.ts';
import { MAX_PROVIDED } from './provided-texts.ts';

const PROVIDE = 1 << 28;
const [TEXT, HTML] = [1, 4] as const;
const u32 = (value: number) => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};
/** A message that provides formats. */
const message = (formats: number, ...plain: readonly Buffer[]) =>
  Buffer.concat([u32(PROVIDE | formats), deflateSync(Buffer.concat(plain))]);
const passes = (content: Buffer) => mayPass({ copy: true, paste: false }, 'desktop', content);

it('forwards the texts of a desktop with one and with two formats', () => {
  const text = Buffer.from('Grüße\0');
  expect(passes(message(TEXT, u32(text.length), text))).toBe(true);
  expect(passes(message(TEXT | HTML, u32(text.length), text, u32(3), Buffer.from('<b>')))).toBe(
    true,
  );
  const longest = Buffer.alloc(MAX_PROVIDED - 4, 'x');
  expect(passes(message(TEXT, u32(longest.length), longest))).toBe(true);
});

it.each([
  ['an announced length of 4 GiB', message(TEXT, u32(0xffffffff), Buffer.from('text'))],
  ['a length that is missing', message(TEXT | HTML, u32(4), Buffer.from('text'))],
  ['a second text cut short', message(TEXT | HTML, u32(0), u32(9), Buffer.from('text'))],
  ['64 MB in 64 KB', message(TEXT, u32(64_000_000), Buffer.alloc(64_000_000))],
  ['no zlib stream', Buffer.concat([u32(PROVIDE | TEXT), Buffer.from('text')])],
  ['no content', u32(PROVIDE | TEXT)],
])('drops texts of a desktop with %s', (_name, content) => {
  expect(passes(content)).toBe(false);
});
