import { compileRule } from './features/filters/rules/compile.ts';
import { deciding } from './features/filters/rules/decide.ts';
import { MAX_MESSAGE } from './features/saml/names.ts';
import { MAX_CHECKED, MAX_GUARDED_PASTE, MAX_STATEMENT, MAX_STATEMENTS } from './gateway/limits.ts';
import { readMeanings } from './gateway/protocols/sql/readings.ts';
import { cutStatements } from './gateway/protocols/sql/statements.ts';
import { inSlices } from './platform/slices.ts';
import { readXml } from './platform/xml/document.ts';
import {
  describeParsers,
  filled,
  numbered,
  type Parser,
  repeated,
  type Shapes,
} from './testing/measures/never-blocks.ts';

const MEGABYTE = 1_000_000;

const xml = (length: number): Shapes => ({
  instructions: filled(length, '<?', '<x>', '</x>'),
  'closed instructions': filled(length, '<?a?>', '<x>', '</x>'),
  comments: filled(length, '<!--', '<x>', '</x>'),
  'closed comments': filled(length, '<!---->', '<x>', '</x>'),
  sections: filled(length, '<![CDATA[', '<x>', '</x>'),
  'closed sections': filled(length, '<![CDATA[]]>', '<x>', '</x>'),
  declarations: filled(length, '<!ENTITY a "b">', '<!DOCTYPE x [', ']><x/>'),
  'deep elements': filled(length, '<x>'),
  'attributes of a tag': filled(length, 'a="b" ', '<x ', '/>'),
  'attributes of tags': filled(length, '<x a="b" c="d"/>', '<x>', '</x>'),
  'namespaces of a tag': filled(length, 'xmlns:a="b" ', '<x ', '/>'),
  'namespaces of tags': filled(length, '<x xmlns:a="b"/>', '<x>', '</x>'),
  'flat elements': filled(length, '<x/>', '<x>', '</x>'),
  'open tags': filled(length, '<', '<x>', '</x>'),
  'open quotes': filled(length, '<x a="', '<x>', '</x>'),
  attributes: numbered(length / 10, (index) => ` a${index}=""`)
    .replace(/^/, '<x')
    .concat('/>'),
  namespaces: filled(length, `<x${numbered(50, (index) => ` xmlns:a${index}="u"`)}>`),
  'a long name': filled(length, 'a', '<', '/>'),
  spaces: filled(length, ' ', '<x', '/>'),
  'line breaks': filled(length, '\r\n', '<x>', '</x>'),
  entities: filled(length, '&amp;', '<x>', '</x>'),
  'wrong entities': filled(length, '&', '<x>', '</x>'),
  brackets: filled(length, ']]>', '<x>', '</x>'),
});

const sql = (length: number): Shapes => ({
  ...repeated(length, [
    'a,',
    '\\',
    "'",
    '"',
    '`',
    '/*',
    '/*!',
    '/*!50000',
    '/*!50000 /*',
    '*/',
    '--',
    '-- ',
    '#',
    '$',
    '$a$',
    '(',
    ';',
    '1;',
    "E'",
    "E'a'\n",
    'U&"',
    '\n',
    '\0',
    '😀',
    'begin ',
  ]),
  'four versions': filled(
    length,
    "a, '\\', ",
    '/*!40001 a */ /*!40002 b */ /*!40003 c */ /*!M!100100 d */ ',
  ),
  'nested versions': filled(length, '/*!50001 /* */ , '),
  'a long string': filled(length, 'x', "select '", "'"),
  'a long name': filled(length, 'x', 'select "', '"'),
  'a routine': filled(length, 'begin ; end ; ', 'create procedure p() '),
  'many settings': filled(length, ', names gbk', 'set a = 1'),
});

const commandLines = (length: number): Shapes => ({
  ...repeated(length, [
    '{',
    '}',
    '{a,',
    '${',
    '${a',
    '$a',
    "$'",
    '$(',
    '"',
    "'",
    '\\',
    '`',
    'a=',
    ' a="',
    'export ',
    '{}',
    '$()',
    '\n',
    ' ',
    'YWJjZGVmZ2g= ',
    '\u0430',
    '\ufdfa',
  ]),
  'an open brace': filled(length, 'a,', '{'),
  'an open variable': filled(length, 'a', '${'),
  'an open substitution': filled(length, ' ', '$('),
  'a variable in itself': filled(length / 2, '$a', `a=${'x'.repeat(length / 2)}; `),
  'a command beyond the limit': filled(length, 'x', 'echo ', ' \\'),
});
const RULES = ['(?i)\\brm\\b', '^drop', '\\w+\\s+-rf$', '(a|b|c)*d', 'x{3,30}y'].map(
  (content, index) =>
    compileRule({
      id: String(index),
      type: 'regex',
      content,
      priority: 50,
      action: 0,
      terms: null,
      message: '',
      word: '',
      minutes: 5,
      filter: 'f',
    }),
);

const PARSERS: readonly Parser[] = [
  {
    name: 'XML of a SAML provider',
    read: (text) => readXml(text, MAX_MESSAGE),
    shapes: xml,
    length: MEGABYTE,
  },
  {
    name: 'XML of the longest message',
    read: (text) => readXml(text, MAX_MESSAGE),
    shapes: xml,
    length: MAX_MESSAGE - 100,
  },
  {
    name: 'a command line and its rules',
    read: (text) => inSlices(deciding(RULES, text)),
    shapes: commandLines,
    length: MAX_GUARDED_PASTE,
  },
  {
    name: 'a disguised command line and its rules',
    read: (text) => inSlices(deciding(RULES, text)),
    shapes: commandLines,
    length: 64 * 1024 - 20,
  },
  ...(['mysql', 'postgresql'] as const).flatMap((dialect) => [
    {
      name: `statements of ${dialect} that are checked`,
      read: (text: string) => inSlices(readMeanings(text, dialect, MAX_STATEMENTS)),
      shapes: sql,
      length: MAX_CHECKED,
    },
    {
      name: `statements of ${dialect} that are cut for the log`,
      read: (text: string) => inSlices(cutStatements(text, dialect, MAX_STATEMENTS)),
      shapes: sql,
      length: MAX_STATEMENT,
    },
  ]),
];

describeParsers(PARSERS);
