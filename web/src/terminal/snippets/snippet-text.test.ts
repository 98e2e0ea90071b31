import { expect, it } from 'vitest';
import { insertionOf, placesOf } from './snippet-text.ts';

it('places of a snippet are named once, filled in everywhere, and what they are filled with has none', () => {
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

it('what is inserted never ends with Enter', () => {
  expect(insertionOf('uptime\n', new Map())).toBe('uptime');
  expect(insertionOf('a\r\nb\r\n\n', new Map())).toBe('a\r\nb');
});
