import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ERRORS, say } from '@sallyport/contract';
import { beforeAll, expect, it } from 'vitest';
import { gatewayRig } from '../../../testing/gateway/gateway-rig.ts';
import { denyRule, ruleGuard } from '../../../testing/gateway/rule-guard.ts';
import type { TerminalClient } from '../../../testing/terminals/terminal-client.ts';

const DENIED = say(ERRORS.command_denied, 'en', { filter: 'corpus', rule: 'denyme' });
const UNREAD = say(ERRORS.command_unread, 'en');

const rig = gatewayRig({ guard: ruleGuard([denyRule('denyme')]) });
beforeAll(async () => {
  const start = "PS1='ready> '; denyme() { echo denied-r''an; }; history -s 'true; denyme'\n";
  await writeFile(join(rig.sshd.home, '.bash_profile'), start, { mode: 0o644 });
});

async function end(client: TerminalClient): Promise<void> {
  client.type('exit\r');
  await client.message('closed');
  await rig.finished(client);
  expect(client.output).not.toContain('denied-ran');
}

it.each([
  ['a typed line without echo', 'password: ', 'denyme', DENIED],
  ['a line from the history without echo', 'Passphrase: ', '\x1b[A', UNREAD],
  ['a line from the history without echo', '密码： ', '\x10', UNREAD],
  ['a line edited without echo', 'PIN: ', 'xdenyme\x01\x04', UNREAD],
])('decides %s of a line editor with the prompt %s', async (_what, prompt, keys, message) => {
  const client = await rig.openTerminal();
  client.type(`PS1='${prompt}'; stty -echo\r`);
  await client.waitFor(`\x1b[?2004h${prompt}`);
  client.type(`${keys}\r`);
  await client.waitFor(message);
  await client.waitFor(prompt);
  await end(client);
});

it('passes a password that a rule would deny', async () => {
  const client = await rig.openTerminal();
  client.type("read -s -p 'Password: ' word; echo; echo got-$word\r");
  await client.waitFor('\rPassword: ');
  client.type('denyme\r');
  await client.waitFor('got-denyme');
  await end(client);
});

it('logs no output after a hidden line as a command', async () => {
  const client = await rig.openTerminal();
  client.type("read -s -p 'Password: ' word; echo go''t-$word\r");
  await client.waitFor('\rPassword: ');
  client.type('swordfish\r');
  await client.waitFor('got-swordfish');
  client.type("read -s -p 'Continue '; echo g''one\r");
  await client.waitFor('\rContinue ');
  client.type('\r');
  await client.waitFor('gone');
  await end(client);
  expect(rig.ports.row().commands.map(({ input }) => input)).toEqual([
    "read -s -p 'Password: ' word; echo go''t-$word",
    '# 1 line typed without echo',
    "read -s -p 'Continue '; echo g''one",
    'exit',
  ]);
});
