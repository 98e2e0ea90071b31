import { expect, it } from 'vitest';
import { inSlices } from '../platform/slices.ts';
import { readingJson } from './body.ts';

const read = (text: string) => inSlices(readingJson(text, () => new Error('too deep')));
const LONG = 'x'.repeat(50_000);
const LARGE = JSON.stringify(
  Array.from({ length: 5_000 }, (_, at) => ({ id: at, text: `[{"a":"\\"]}`, more: [at, {}] })),
);

it.each<[string, string]>([
  ['a large list', LARGE],
  ['a large list in an object', `{"a": 1, "b" : ${LARGE} , "c":[]}`],
  ['a large object in a list', `[ {"k": ${LARGE}}, 2 ]`],
  ['several large members', `{"a":${LARGE},"b":2,"c":${LARGE},"a":3}`],
  ['a name that is used twice', `{"x":1,"y":"${LONG}","x":2}`],
  ['the name of a prototype', `{"__proto__":{"a":1},"y":"${LONG}"}`],
  ['a long string', `"${LONG}\\u00e9\\""`],
  ['a name as long as a chunk', `{"${LONG}":1,"b":"${LONG}"}`],
  ['blanks', `${' '.repeat(40_000)}[\n1\t,\r2 ]${' '.repeat(40_000)}`],
  ['an empty list after blanks', `[${' '.repeat(40_000)}]`],
])('reads %s as JSON.parse does', async (_shape, text) => {
  const value = await read(text);
  expect(JSON.stringify(value)).toBe(JSON.stringify(JSON.parse(text)));
  expect(Object.getPrototypeOf(value)).toBe(Object.getPrototypeOf(JSON.parse(text)));
});

it.each<[string, string]>([
  ['a comma at the end', `[${LARGE},]`],
  ['a comma at the beginning', `[,${LARGE}]`],
  ['two commas', `[${LARGE},,1]`],
  ['a comma at the end of small members', `[${'1,'.repeat(40_000)}]`],
  ['another bracket at the end', `[${LARGE}}`],
  ['brackets that cross', `[${LARGE},[1}]`],
  ['no end', `[${LARGE}`],
  ['more after the end', `[${LARGE}]1`],
  ['a member without a name', `{${LARGE}}`],
  ['a name that is a number', `{1:${LARGE}}`],
  ['a colon in a list', `[1:${LARGE}]`],
  ['two colons', `{"a"::${LARGE}}`],
  ['a blank of no JSON', `\u00a0[${LARGE}]`],
  ['an open string', `["${LONG}`],
  ['a wrong escape', `["${LONG}\\x"]`],
])('refuses %s, as JSON.parse does', async (_shape, text) => {
  expect(() => JSON.parse(text)).toThrow(SyntaxError);
  await expect(read(text)).rejects.toThrow(SyntaxError);
});

it('refuses nesting that could overflow a stack', async () => {
  await expect(read(`${'['.repeat(65)}${']'.repeat(65)}`)).rejects.toThrow('too deep');
});
