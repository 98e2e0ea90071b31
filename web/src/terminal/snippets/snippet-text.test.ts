import { expect, it } from 'vitest';
import { insertionOf, placesOf } from './snippet-text.ts';

it('lists each placeholder once, fills in every use, and does not expand the values', () => {
  const content = 'scp {{file}} {{ host }}:{{file}}';
  expect(placesOf(content)).toEqual(['file', 'host']);
  expect(
    insertionOf(
      content,
      new Map([
        ['file', '$& {{host}}'],
        ['host', 'web-01'],
      ]),
    ),
  ).toBe('scp $& {{host}} web-01:$& {{host}}');
  expect(placesOf('awk "{print}" {{}} ${{{')).toEqual([]);
});

it('inserts no Enter at the end', () => {
  expect(insertionOf('uptime\n', new Map())).toBe('uptime');
  expect(insertionOf('a\r\nb\r\n\n', new Map())).toBe('a\r\nb');
});
