import { expect, it } from 'vitest';
import { readXml, textOf, XmlRefused } from './document.ts';

const MAX = 110_000;
const many = (count: number, text: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => text(index)).join('');
const nested = (levels: number) => '<a>'.repeat(levels) + '</a>'.repeat(levels);
const attributes = (count: number) => many(count, (index) => ` a${index}="x"`);
const inElements = (count: number, element: string) => `<a>${element.repeat(count)}</a>`;

it.each([
  ['attributes of a tag', `<a${attributes(65)}/>`, 'a tag has too many attributes'],
  [
    'namespaces of a tag',
    `<a${many(5_000, (index) => ` xmlns:a${index}="u"`)}/>`,
    'a tag has too many attributes',
  ],
  ['attributes', inElements(84, `<b${attributes(60)}/>`), 'the document has too many attributes'],
  ['namespaces', inElements(501, '<b xmlns:x="u"/>'), 'the document has too many namespaces'],
  [
    'default namespaces',
    inElements(501, "<b xmlns = 'u' />"),
    'the document has too many namespaces',
  ],
  ['levels', nested(101), 'the document has too many levels'],
  ['elements', inElements(5_001, '<b/>'), 'the document has too many elements'],
  ['tags without an end', inElements(400, '<b '), 'the document is not well-formed'],
  ['quotes without an end', '<a b="', 'the document is not well-formed'],
])('rejects too many %s before it parses', (_what, text, message) => {
  expect(() => readXml(text, MAX)).toThrow(new XmlRefused(message));
});

it.each([
  ['attributes of a tag', `<a${attributes(64)}/>`],
  ['attributes', inElements(83, `<b${attributes(60)}/>`)],
  ['namespaces', inElements(500, '<b xmlns:x="u"/>')],
  ['levels', nested(100)],
  ['signs in text and quotes', `<a b="x=y > z" c='"='>a = b xmlns="c" ${'='.repeat(9_000)}</a>`],
  ['signs in comments', `<a><!-- <b ${'c="d" '.repeat(9_000)} --><![CDATA[<x y="z">]]></a>`],
])('accepts %s within the limits', (_what, text) => {
  expect(readXml(text, MAX).documentElement?.localName).toBe('a');
});

it('changes the line ends of XML 1.0 and no other character', () => {
  const root = readXml('<a>1\r\n2\r3\n4\u00855\u20286</a>', MAX).documentElement;
  expect(root && textOf(root)).toBe('1\n2\n3\n4\u00855\u20286');
});

it.each([
  ['an undefined entity', '<a>&b;</a>'],
  ['an attribute twice', '<a b="1" b="2"/>'],
  ['an attribute without quotes', '<a b=1/>'],
  ['an attribute without a value', '<a b/>'],
  ['an undeclared prefix', '<x:a/>'],
  ['an undeclared prefix of an attribute', '<a x:b="1"/>'],
  ['a redefined prefix xml', '<a xmlns:xml="u"/>'],
  ['an empty namespace of a prefix', '<a xmlns:x=""/>'],
  ['tags that cross', '<a><b></a></b>'],
  ['an unclosed element', '<a><b></b>'],
  ['a second root', '<a/><b/>'],
  ['text after the root', '<a/>x'],
  ['text before the root', 'x<a/>'],
  ['a sign < in an attribute', '<a b="<"/>'],
  ['a single ampersand', '<a>&</a>'],
  ['a NUL', '<a>\u0000</a>'],
  ['a control character', '<a>\u0001</a>'],
  ['a character reference to NUL', '<a>&#0;</a>'],
  ['a character reference beyond Unicode', '<a>&#x110000;</a>'],
  ['two hyphens in a comment', '<a><!-- -- --></a>'],
  ['the end of a section in text', '<a>]]></a>'],
  ['nothing', ''],
])('rejects %s', (_what, text) => {
  expect(() => readXml(text, MAX)).toThrow(XmlRefused);
});
