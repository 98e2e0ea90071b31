import {
  parseBody,
  patternProblem,
  readSearch,
  systemUser,
  type TextFormat,
  text as textField,
} from '@sallyport/contract';
import { readFilter } from './features/scim/filter.ts';
import { patching } from './features/scim/patch.ts';
import { MAX_FORM, readForm, readJsonBody } from './http/body.ts';
import {
  allowedCommand,
  patternProblem as commandPatternProblem,
} from './platform/allowed-commands.ts';
import { patternProblem as rulePatternProblem } from './platform/pattern.ts';
import { inSlices } from './platform/slices.ts';
import { readCsv } from './resources/csv/read.ts';
import {
  describeParsers,
  filled,
  numbered,
  repeated,
  type Shapes,
} from './testing/measures/never-blocks.ts';

const MEGABYTE = 1_000_000;

const json = (length: number): Shapes => ({
  ...repeated(length, ['[', '{"a":', '"', '\\', '0', '-', '[],', ' ', '{"a":1},']),
  'flat lists': `[${filled(length, '[],')}[]]`,
  'flat objects': `[${filled(length, '{},')}{}]`,
  'lists in lists': `[${filled(length, `${'['.repeat(60)}${']'.repeat(60)},`)}[]]`,
  numbers: `[${filled(length, '0,')}0]`,
  'a long number': filled(length, '9'),
  'a long fraction': filled(length, '9', '0.'),
  'a long string': filled(length, 'x', '"', '"'),
  escapes: filled(length, '\\u0041', '"', '"'),
  'half surrogates': filled(length, '\\ud800', '"', '"'),
  'many names': `{${numbered(length / 12, (at) => `"n${at}":1,`)}"z":1}`,
  'numbers for names': `{${numbered(length / 12, (at) => `"${at * 7919}":1,`)}"z":1}`,
  'one name': `{${filled(length, '"__proto__":1,')}"z":1}`,
});

const HEADER = '*Name,*Username,Protocol,Comment';
const csv = (length: number): Shapes => ({
  ...repeated(length, [
    '"',
    '""',
    ',',
    '\n',
    '\r',
    '\r\n',
    '",',
    '"\n',
    ' ',
    '\0',
    '\ufeff',
    '😀',
    "'",
  ]),
  'rows of blanks': filled(length, ' , , , \n', `${HEADER}\n`),
  'many rows': filled(length, 'a,b,ssh,c\n', `${HEADER}\n`),
  'quoted rows': filled(length, '"a","b","ssh","c"\r\n', `${HEADER}\r\n`),
  'one open quote': filled(length, 'a,b\n', `${HEADER}\n"`),
  'quotes in a cell': filled(length, '""', `${HEADER}\n"`, '"\n'),
  'a long cell': filled(length, 'x', `${HEADER}\n`, '\n'),
  'a long header': filled(length, 'x', '', '\n'),
  'many headers': filled(length, '*Name,', '', '\n'),
  apostrophes: filled(length, ";'=", `${HEADER}\n`, '\n'),
  'formulas without end': filled(length, "'", `${HEADER}\n=`, '\n'),
  'a list of names': filled(length, 'a;', 'Name,Command filters\na,', '\n'),
  'an open list': filled(length, '[', 'Name,Command filters\na,"', ']"\n'),
  'a list of quotes': filled(length, "'a',", 'Name,Command filters\na,"[', ']"\n'),
  'blank names': filled(length, ' ', 'Name,Command filters\na,"', 'a"\n'),
  'lists in rows': filled(length, 'a,"x;y;z;x;y;z;x;y;z"\n', 'Name,Command filters\n'),
});

const filters = (length: number): Shapes => ({
  ...repeated(length, [
    '(',
    'not (',
    'a[',
    '"',
    '\\',
    '"\\',
    ' ',
    'a ',
    'a eq 1 and ',
    'urn:',
    'a.',
  ]),
  'open text': filled(length, '\\"', 'userName eq "'),
  'many conditions': filled(length, ' or userName co "a"', 'userName pr'),
  'a long schema': filled(length, 'a:', 'urn:', '#'),
  'a long number': filled(length, '9', 'userName eq '),
});

const PATCH = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';
const patchOf = (operations: readonly unknown[]) =>
  JSON.stringify({ schemas: [PATCH], Operations: operations });
const times = <T>(count: number, one: (at: number) => T) =>
  Array.from({ length: count }, (_, at) => one(at));
const member = (at: number) => ({ value: `m${at}` });
/** About `length` characters of JSON. */
const patches = (length: number): Shapes => ({
  'many members': patchOf([{ op: 'add', path: 'members', value: times(length / 20, member) }]),
  'many primaries': patchOf([
    {
      op: 'add',
      path: 'emails',
      value: times(length / 40, (at) => ({ value: `e${at}`, primary: true })),
    },
  ]),
  'members again and again': patchOf(
    times(900, (at) => ({
      op: at % 2 ? 'add' : 'replace',
      path: 'members',
      value: times(length / 20_000, member),
    })),
  ),
  'conditions on many members': patchOf([
    { op: 'add', path: 'members', value: times(length / 40, member) },
    ...times(100, (at) => ({ op: 'remove', path: `members[value eq "m${at}x"]` })),
  ]),
  'conditions that nest': patchOf([
    { op: 'add', path: 'members', value: times(length / 40, member) },
    ...times(100, () => ({
      op: 'replace',
      path: `members[${'not ('.repeat(8)}value co "x"${')'.repeat(8)}].display`,
      value: 'a',
    })),
  ]),
  'parts of many members': patchOf([
    { op: 'add', path: 'members', value: times(length / 40, member) },
    ...times(100, (at) => ({ op: 'replace', path: `members.p${at % 3}`, value: 'a' })),
  ]),
  'members of many attributes': patchOf([
    {
      op: 'add',
      path: 'members',
      value: [Object.fromEntries(times(length / 20, (at) => [`part${at}`, at]))],
    },
    ...times(100, () => ({ op: 'replace', path: 'members.display', value: 'a' })),
  ]),
  'many parts of a name': patchOf(
    times(900, (at) => ({ op: 'add', path: `name.part${at}`, value: 'a' })),
  ),
  'many attributes': patchOf([
    { op: 'add', value: Object.fromEntries(times(length / 20, (at) => [`attr${at}`, at])) },
  ]),
  'attributes again and again': patchOf([
    { op: 'add', value: Object.fromEntries(times(length / 40, (at) => [`attr${at}`, at])) },
    ...times(100, (at) => ({ op: 'replace', path: `attr${at}`, value: 'x' })),
  ]),
  'a path of brackets': patchOf(times(900, () => ({ op: 'remove', path: '['.repeat(490) }))),
  'too many operations': patchOf(times(length / 20, () => ({ op: 'a' }))),
});

const searches = (length: number): Shapes => ({
  ...repeated(length, [
    '"',
    '""',
    '" ',
    'a"',
    '=',
    '="',
    '=" ',
    're:',
    're:"',
    ' ',
    ',',
    'a ',
    're:( ',
  ]),
  'a long word': filled(length, 'a'),
  'an open phrase': filled(length, 'a ', '"'),
});

const patterns = (length: number): Shapes => ({
  ...repeated(length, [
    '(',
    '(a*)*',
    '(a+)+',
    '(a|aa)+',
    'a{99}',
    'a?',
    '[a-z]',
    '\\',
    '[',
    '(?:',
    '.*',
  ]),
  'nested repetitions': `${'('.repeat(length / 6)}a${'{9})'.repeat(length / 6)}`,
  'nested stars': `${'('.repeat(length / 4)}a${')*'.repeat(length / 4)}`,
  alternatives: filled(length, 'ab|', '(', ')'),
  'classes of letters': filled(length, '\\pL'),
  'negated classes': filled(length, '[^\\pL]'),
  'classes in any case': filled(length, '[^\\pL\\pN]', '(?i)'),
  'large repetitions': filled(length, 'x{1000}'),
  'one large class': filled(length, '\\p{Han}\\p{Greek}\\PL', '(?i)[', ']'),
});

const commandPatterns = (length: number): Shapes => ({
  'many asterisks': filled(length, 'ls *a*a*a*a*a*a*b\n'),
  'one line of asterisks': `ls ${'*a'.repeat(2_000)}b`,
  'many words': filled(length, `ls ${'a '.repeat(250)}\n`),
  'many slashes': filled(length, `ls ${'*/'.repeat(1_000)}\n`),
  'repeated words': filled(length, 'ls * ...\n'),
  'short lines': filled(length, 'a\n'),
  'line breaks': filled(length, '\n'),
  comments: filled(length, '#\n'),
});
const LINES = [`ls ${'a'.repeat(4_000)}`, `ls ${'a '.repeat(250)}`, `ls ${'a/'.repeat(2_000)}`];

const texts = (length: number): Shapes => ({
  ...repeated(length, [
    'a',
    'a.',
    'a-',
    '.',
    '-',
    ':',
    '1.',
    '@',
    'a@',
    '/',
    '../',
    ' ',
    'http://',
    '*',
    '1,',
    '0-59/2,',
    '%',
  ]),
  'an address': filled(length, 'a', 'a@'),
  'an address of points': filled(length, 'a.', 'https://', ' '),
  'a path of points': filled(length, '../', '/'),
  'days of a month': filled(length, ',1-31', '* * 1', ' * *'),
});

const TEXT_FORMATS: readonly TextFormat[] = [
  'plain',
  'email',
  'username',
  'slug',
  'host',
  'sftpRoot',
  'path',
  'protocol',
  'url',
  'port',
  'crontab',
  'timeZone',
];
const textOf = (format: TextFormat) =>
  textField({ label: { en: 'Value', zh: '值' }, format, max: MEGABYTE });

describeParsers([
  {
    name: 'a JSON body',
    read: async (text) => parseBody(systemUser.fields, await readJsonBody(text), 'create'),
    shapes: json,
    length: MEGABYTE,
  },
  {
    name: 'a CSV file',
    read: (text) => readCsv(Buffer.from(text), systemUser),
    shapes: csv,
    length: MEGABYTE,
  },
  { name: 'a SCIM filter', read: readFilter, shapes: filters, length: MEGABYTE },
  { name: 'a SCIM filter within its limit', read: readFilter, shapes: filters, length: 1_900 },
  {
    name: 'the values of a form',
    read: readForm,
    shapes: (length) => repeated(length, ['&', '=', 'a&', '%', '%41', 'a=b&', '+', '%f0%9f']),
    length: MAX_FORM,
  },
  {
    name: 'a SCIM PATCH',
    read: async (text) => inSlices(patching({}, await readJsonBody(text))),
    shapes: patches,
    length: MEGABYTE,
  },
  { name: 'a search', read: readSearch, shapes: searches, length: 64_000 },
  { name: 'a pattern of a search', read: patternProblem, shapes: patterns, length: 120 },
  { name: 'a pattern of a rule', read: rulePatternProblem, shapes: patterns, length: 1_000 },
  {
    name: 'the patterns of allowed commands',
    // The server stores patterns in one turn and compares each command in another.
    read: async (text) => {
      text.split('\n').forEach(commandPatternProblem);
      for (const line of LINES) {
        await new Promise((done) => setImmediate(done));
        allowedCommand(text, line);
      }
    },
    shapes: commandPatterns,
    length: 16_384,
  },
  ...TEXT_FORMATS.map((format) => ({
    name: `a text of the format ${format}`,
    read: (value: string) => parseBody({ value: textOf(format) }, { value }, 'create'),
    shapes: texts,
    length: MEGABYTE,
  })),
]);
