import { expect, it } from 'vitest';
import { readXml, XmlRefused } from './document.ts';

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
