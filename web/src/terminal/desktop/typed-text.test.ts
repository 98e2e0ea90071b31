import { expect, it } from 'vitest';
import { ANCHOR, changeOf } from './typed-text.ts';

it('reports the text that was added', () => {
  expect(changeOf(ANCHOR, `${ANCHOR}你好`)).toEqual({ erased: 0, text: '你好' });
  expect(changeOf(`${ANCHOR}hel`, `${ANCHOR}hello `)).toEqual({ erased: 0, text: 'lo ' });
});

it('reports a deletion, also of the anchor alone', () => {
  expect(changeOf(ANCHOR, '')).toEqual({ erased: 1, text: '' });
  expect(changeOf(`${ANCHOR}ab`, `${ANCHOR}a`)).toEqual({ erased: 1, text: '' });
});

it('reports a word that the keyboard corrects as a deletion and a text', () => {
  expect(changeOf(`${ANCHOR}teh`, `${ANCHOR}the `)).toEqual({ erased: 2, text: 'he ' });
});

it('counts a character outside of the basic plane once', () => {
  expect(changeOf(`${ANCHOR}😀`, ANCHOR)).toEqual({ erased: 1, text: '' });
});

it('reports nothing when nothing changed', () => {
  expect(changeOf(`${ANCHOR}a`, `${ANCHOR}a`)).toEqual({ erased: 0, text: '' });
});
