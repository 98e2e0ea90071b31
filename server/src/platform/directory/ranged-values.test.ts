import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  type ScriptedDirectory,
  startScriptedDirectory,
} from '../../testing/services/scripted-directory.ts';
import { checkPerson } from './directory.ts';

let directory: ScriptedDirectory;
beforeAll(async () => {
  directory = await startScriptedDirectory();
});
afterAll(() => directory?.stop());

const group = (number: number) => `CN=g${number},DC=example,DC=com`;
const groups = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, at) => group(from + at));

/** Returns the groups of a person, whose entry is in the answers in their order. */
async function groupsFrom(
  answers: readonly Readonly<Record<string, string | readonly string[]>>[],
) {
  const left = [...answers];
  directory.onSearch = () => {
    directory.entries = [{ uid: 'li', cn: 'Li', mail: 'li@example.com', ...left.shift() }];
  };
  const { result } = await checkPerson(
    {
      uri: directory.url,
      startTls: false,
      bindDn: 'cn=reader',
      bindPassword: 'reader hunter2',
      bases: ['dc=example,dc=com'],
      filter: '(uid=%(user)s)',
      attributes: { username: 'uid', name: 'cn', email: 'mail' },
      groups: 'memberOf',
      authorities: undefined,
    },
    'li',
    'right password',
  );
  return { groups: result.groups, unread: left.length };
}

// Active Directory (MS-ADTS 3.1.1.3.1.3.3) sends the plain name without values next to a range.
it('reads all ranges of an attribute that the directory sends in parts', async () => {
  const answers = [
    { memberOf: [], 'memberOf;range=0-1499': groups(0, 1500) },
    { 'memberof;Range=1500-2999': groups(1500, 3000) },
    { 'memberOf;range=3000-*': groups(3000, 3002) },
  ];
  expect(await groupsFrom(answers)).toEqual({ groups: groups(0, 3002), unread: 0 });
});

it.each<[string, Parameters<typeof groupsFrom>[0], string[]]>([
  ['no values', [{}], []],
  ['ordinary values', [{ memberOf: groups(0, 2) }], groups(0, 2)],
  ['one range with all values', [{ 'memberOf;range=0-*': groups(0, 2) }], groups(0, 2)],
  ['a range without its rest', [{ 'memberOf;range=0-1': groups(0, 2) }, {}], groups(0, 2)],
  [
    'a range that never ends',
    [{ 'memberOf;range=0-1': groups(0, 2) }, { 'memberOf;range=2-3': [] }],
    groups(0, 2),
  ],
  ['another option', [{ 'memberOf;lang-en': groups(0, 2) }], []],
])('reads %s', async (_, answers, expected) => {
  expect(await groupsFrom(answers)).toEqual({ groups: expected, unread: 0 });
});
