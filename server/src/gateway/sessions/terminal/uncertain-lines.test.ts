import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ERRORS, say } from '@sallyport/contract';
import { beforeAll, beforeEach, expect, it } from 'vitest';
import { gatewayRig } from '../../../testing/gateway/gateway-rig.ts';
import { denyRule, ruleGuard } from '../../../testing/gateway/rule-guard.ts';
import type { TerminalClient } from '../../../testing/terminals/terminal-client.ts';

const UNCERTAIN = say(ERRORS.command_uncertain, 'en');
const DEL = '\x7f';
const LEFT = '\x1b[D';
const HOME = '\x01';

let judged: string[];
let hasRules = true;
const guard = ruleGuard([denyRule('denyme')], (line) => judged.push(line));
const rig = gatewayRig({ guard: { ...guard, applies: () => hasRules } });
beforeAll(async () => {
  const start = "PS1='ready> '; export LC_ALL=C.UTF-8; denyme() { echo denied-ran; }\n";
  await writeFile(join(rig.sshd.home, '.bash_profile'), start, { mode: 0o644 });
});
beforeEach(() => {
  judged = [];
  hasRules = true;
});

const commands = () => [...rig.ports.rows.values()].flatMap((row) => row.commands);

/** Types keys one after the other, each after the echo of the one before. */
async function press(client: TerminalClient, keys: readonly string[]): Promise<void> {
  for (const key of keys) {
    const { length } = client.output;
    client.type(key);
    await client.until(`the echo of ${JSON.stringify(key)}`, () =>
      client.output.length > length ? true : undefined,
    );
  }
}

async function end(client: TerminalClient): Promise<void> {
  client.type('exit\r');
  await client.message('closed');
  await rig.finished(client);
}

const EDITS: readonly (readonly [string, readonly string[]])[] = [
  ['an emoji deleted with Backspace', ['echo 😀x', DEL, DEL, 'denyme ran']],
  ['an emoji deleted with Ctrl-W', ['echo a 😀😀', '\x17', DEL, DEL, DEL, 'denyme']],
  ['an emoji of Unicode 15', ['echo 🫨x', DEL, DEL, DEL, '; denyme']],
  ['a family joined without width', ['echo 👨‍👩‍👧', DEL, DEL, DEL, 'x', DEL, ';denyme']],
  ['a combining mark', ['echo e\u0301x', DEL, DEL, 'denyme']],
  ['text before an emoji', ['; 😀', HOME, 'denyme']],
  ['text inserted left of a flag', ['dnyme 🇨🇳', HOME, '\x1b[C', 'e']],
  ['a hexagram, wide since Unicode 16', ['echo ䷀x', DEL, DEL, 'denyme']],
  ['Hangul letters that combine', ['echo \u1100\u1161x', DEL, DEL, DEL, 'denyme']],
  ['a character without width', ['echo \u200bx', DEL, DEL, 'denyme']],
  ['a character without width after a bell', ['echo x', '\x1b[3~', '\u200b', '\x1b[3~']],
  ['a mark after a bell', ['echo e', '\x1b[3~', '\u0301', '\x1b[3~']],
];

it.each(EDITS)('refuses a line that was edited with %s', async (_name, keys) => {
  const client = await rig.openTerminal();
  await press(client, keys);
  client.type('\r');
  await client.waitFor(UNCERTAIN);
  await client.waitFor('ready> ');
  client.type('echo st"i"ll here\r');
  await client.waitFor('\rstill here\r\n');
  await end(client);
  expect(client.output).not.toContain('denied-ran');
  expect(judged).toEqual(['echo st"i"ll here', 'exit']);
  expect(commands()[0]).toMatchObject({ isRefused: true, output: UNCERTAIN });
});

it('judges and logs a line with emoji as typed when no key edited it', async () => {
  const client = await rig.openTerminal();
  await press(client, ['echo 🫨 ', '👨‍👩‍👧', ' e\u0301', ' 🇨🇳']);
  client.type(' end"e"d\r');
  await client.waitFor('ended\r\n');
  client.type('echo 😀; denyme\r');
  await client.waitFor('denyme');
  await client.waitFor('The command filter');
  await end(client);
  expect(client.output).not.toContain('denied-ran');
  expect(commands().map(({ input, isRefused }) => [input, isRefused ?? false])).toEqual([
    ['echo 🫨 👨‍👩‍👧 e\u0301 🇨🇳 end"e"d', false],
    ['echo 😀; denyme', true],
    ['exit', false],
  ]);
});

it.each([
  ['Chinese', 'echo 你好，世界', '你好，世', '界'],
  ['Japanese', 'echo ひらがなカタカナ漢字', 'ひらがなカタカナ漢', '字'],
  ['Korean', 'echo 안녕하세요', '안녕하세', '요'],
  ['Cyrillic', 'echo привет', 'приве', 'т'],
  ['accents', 'echo déjà', 'déj', 'à'],
])('reads %s after edits', async (_name, typed, kept, last) => {
  const client = await rig.openTerminal();
  await press(client, [typed, 'x', DEL, DEL, last, LEFT, LEFT, '-', DEL]);
  client.type('\r');
  await client.waitFor(`${kept}${last}\r\n`);
  await press(client, [`denyme ${last}`, DEL, last]);
  client.type('\r');
  await client.waitFor('The command filter');
  await end(client);
  expect(judged.slice(0, 2)).toEqual([typed, `denyme ${last}`]);
  expect(client.output).not.toContain('denied-ran');
});

it('refuses a wide character that the terminal of the target deletes in one column', async () => {
  const client = await rig.openTerminal();
  // The kernel edits this line. It erases one column for each character.
  client.type('stty iutf8; cat\r');
  await client.waitFor('cat\r\n');
  await press(client, ['de你', DEL, 'nyme']);
  client.type('\r');
  await client.waitFor(UNCERTAIN);
  await client.waitFor('ready> ');
  await end(client);
  expect(judged).toEqual(['stty iutf8; cat', 'exit']);
});

it('marks an edited line of disputed width in the log without rules', async () => {
  hasRules = false;
  const client = await rig.openTerminal();
  await press(client, ['echo 😀x', DEL, DEL, 'e"n"d']);
  client.type('\r');
  await client.waitFor('\rend\r\n');
  client.type('echo pl"a"in\r');
  await client.waitFor('\rplain\r\n');
  await end(client);
  expect(commands().map(({ input }) => input)).toEqual([
    '# uncertain: echo e"n"d',
    'echo pl"a"in',
    'exit',
  ]);
});
