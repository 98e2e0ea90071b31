import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ERRORS, say } from '@sallyport/contract';
import { beforeAll, expect, it } from 'vitest';
import { gatewayRig } from '../../../testing/gateway/gateway-rig.ts';
import { denyRule, ruleGuard } from '../../../testing/gateway/rule-guard.ts';
import type { TerminalClient } from '../../../testing/terminals/terminal-client.ts';

const DENIED = say(ERRORS.command_denied, 'en', { filter: 'corpus', rule: 'denyme' });
const UP = '\x1b[A';

let rules = true;
const rig = gatewayRig({
  guard: { ...ruleGuard([denyRule('denyme')]), applies: () => rules },
});
beforeAll(async () => {
  const start = `PS1='ready> '; PS2='more> '; export LC_ALL=C.UTF-8
denyme() { echo denied-r''an; }
name=denyme
`;
  await writeFile(join(rig.sshd.home, '.bash_profile'), start, { mode: 0o644 });
});

async function end(client: TerminalClient): Promise<void> {
  client.type('exit\r');
  await client.message('closed');
  await rig.finished(client);
}

const commands = () =>
  [...rig.ports.rows.values()]
    .flatMap((row) => row.commands)
    .map(({ input, isRefused }) => (isRefused ? `refused: ${input}` : input));

/** Types keys and waits until the screen shows their effect. */
async function type(client: TerminalClient, keys: string, effect: string): Promise<void> {
  client.type(keys);
  await client.waitFor(effect);
}

it.each([
  ['sends it', [], 'denyme 1'],
  ['appends to it', [[' 2', ' 2']], 'denyme 1 2'],
  ['edits it', [['\x7f2', '2']], 'denyme 2'],
  ['inserts before it', [['\x01true; ', 'true; ']], 'true; denyme 1'],
] as const)(
  'decides a line of the history that the shell fills in when its user %s',
  async (_what, edits, line) => {
    const client = await rig.openTerminal();
    await type(client, 'shopt -s histverify; history -s "$name 1"\r', '\x1b[?2004hready> ');
    // The shell shows the line of the history, and waits for another Enter.
    await type(client, '!!\r', '\x1b[?2004hready> denyme 1');
    for (const [keys, effect] of edits) await type(client, keys, effect);
    await type(client, '\r', DENIED);
    await client.waitFor('ready> ');
    await end(client);
    expect(client.output).not.toContain('denied-ran');
    expect(commands().slice(1)).toEqual(['!!', `refused: ${line}`, 'exit']);
  },
);

it('decides the next line of the history, which Ctrl-O fills in', async () => {
  const client = await rig.openTerminal();
  await type(client, 'history -s "true first"\r', '\x1b[?2004hready> ');
  await type(client, 'history -s "$name 3"\r', '\x1b[?2004hready> ');
  await type(client, UP, 'denyme 3');
  await type(client, UP, 'true first');
  await type(client, '\x0f', '\x1b[?2004hready> denyme 3');
  await type(client, '\r', DENIED);
  await client.waitFor('ready> ');
  await end(client);
  expect(client.output).not.toContain('denied-ran');
  expect(commands().slice(2)).toEqual(['true first', 'refused: denyme 3', 'exit']);
});

it('decides a line after the output of another program with and without it', async () => {
  const client = await rig.openTerminal();
  await type(client, 'mkfifo wait\r', '\x1b[?2004hready> ');
  // The program prints after the prompt.
  await type(client, '(read -r _ <wait; printf other) & true\r', '\x1b[?2004hready> ');
  await writeFile(join(rig.sshd.home, 'wait'), '\n');
  await client.waitFor('other');
  await type(client, 'denyme 4\r', DENIED);
  await client.waitFor('ready> ');
  await end(client);
  expect(client.output).not.toContain('denied-ran');
});

it('logs a line that the shell fills in, and marks it', async () => {
  rules = false;
  const client = await rig.openTerminal();
  await type(client, 'shopt -s histverify; history -s "echo fil"led\r', '\x1b[?2004hready> ');
  await type(client, '!!\r', '\x1b[?2004hready> echo filled');
  await type(client, '\r', '\rfilled\r\n');
  await end(client);
  rules = true;
  expect(commands().slice(1)).toEqual(['!!', '# uncertain: echo filled', 'exit']);
});

it.each([
  ['a wide space', '\u3000'],
  ['a space without a break', '\u00a0'],
  ['a thin space', '\u2009'],
])('decides and logs a line that is only %s', async (_what, line) => {
  const client = await rig.openTerminal();
  await type(client, `${line}\r`, 'command not found');
  await client.waitFor('ready> ');
  await end(client);
  expect(commands()).toEqual([line, 'exit']);
});

it('decides a line with U+FEFF, which no screen keeps, as typed, and refuses an edited one', async () => {
  const client = await rig.openTerminal();
  await type(client, 'echo a\ufeffb\r', '\ra\ufeffb\r\n');
  await type(client, 'denyme \ufeff\r', DENIED);
  await client.waitFor('ready> ');
  await type(client, 'echo a\ufeffb', 'echo a\ufeffb');
  await type(client, '\x7f', '\b');
  await type(client, '\r', say(ERRORS.command_uncertain, 'en'));
  await client.waitFor('ready> ');
  await end(client);
  expect(commands()[0]).toBe('# uncertain: echo ab');
});
