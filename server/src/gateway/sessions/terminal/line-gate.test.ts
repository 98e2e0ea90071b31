import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { gatewayRig } from '../../../testing/gateway/gateway-rig.ts';
import { TerminalClient } from '../../../testing/terminals/terminal-client.ts';
import type { Verdict } from '../../ports/guard.ts';

const WARNING: Verdict = { kind: 'ask', message: 'Really?', expects: 'enter' };
const CONFIRMATION: Verdict = { ...WARNING, expects: { word: 'production' } };

let seen: { line: string; isHidden: boolean }[];
let verdict: (line: string) => Verdict | Promise<Verdict>;
const rig = gatewayRig({
  guard: {
    applies: () => true,
    settled: () => Promise.resolve(),
    beforeStatement: async () => ({ kind: 'deny', message: 'no statements here' }),
    beforeExec: async (command) => ({ kind: 'allow', command }),
    before: (line, { isHidden }) => {
      seen.push({ line, isHidden });
      return verdict(line);
    },
  },
});
beforeEach(() => {
  seen = [];
  verdict = (line) =>
    line.includes('forbidden')
      ? { kind: 'deny', message: 'This command is not allowed.' }
      : { kind: 'allow' };
});

/** Commands of the only session, from the row that the server writes to `rig.ports`. */
const commands = () => [...rig.ports.rows.values()].flatMap((row) => row.commands);
const wasMade = (name: string) =>
  readFile(join(rig.sshd.home, name)).then(
    () => true,
    () => false,
  );

it('keeps a rejected line from the target, shows the reason, drops the rest of the paste and logs the rejection', async () => {
  const client = await rig.openTerminal();
  client.type('touch forbidden-one\rtouch after-it\r');
  await client.waitFor('This command is not allowed.');
  await client.waitFor('ready> ');
  client.type('echo st"i"ll here\r');
  await client.waitFor('\rstill here\r\n');
  client.type('exit\r');
  await client.message('closed');
  await rig.finished(client);
  expect(seen).toEqual([
    { line: 'touch forbidden-one', isHidden: false },
    { line: 'echo st"i"ll here', isHidden: false },
    { line: 'exit', isHidden: false },
  ]);
  expect([await wasMade('forbidden-one'), await wasMade('after-it')]).toEqual([false, false]);
  const [refused, allowed] = commands();
  expect(refused).toMatchObject({
    input: 'touch forbidden-one',
    output: 'This command is not allowed.',
    isRefused: true,
  });
  expect(allowed).toMatchObject({ input: 'echo st"i"ll here', output: 'still here' });
  expect(allowed?.isRefused).toBeUndefined();
});

it('checks a recalled line as the screen shows it, and a line without echo as typed', async () => {
  const client = await rig.openTerminal();
  client.type('echo for"bidd"en-two\r');
  await client.waitFor('\rforbidden-two\r\n');
  verdict = (line) =>
    line.includes('two') || line.includes('secret')
      ? { kind: 'deny', message: 'No.' }
      : { kind: 'allow' };
  client.type('\x1b[A\r');
  await client.waitFor('\r\nNo.\r\n');
  await client.waitFor('ready> ');
  client.type('stty -echo; echo si"l"ent; cat\r');
  await client.waitFor('\rsilent\r\n');
  client.type('touch secret-file\r');
  await client.waitFor('\r\nNo.\r\n');
  await client.close();
  await rig.finished(client);
  expect(seen.at(-1)).toEqual({ line: 'touch secret-file', isHidden: true });
  expect(JSON.stringify(commands())).not.toContain('secret-file');
  expect(commands().filter(({ isRefused }) => isRefused)).toHaveLength(2);
});

it('queues keys in order while the guard decides', async () => {
  const client = await rig.openTerminal();
  let allow: (verdict: Verdict) => void = () => undefined;
  verdict = () =>
    new Promise((done) => {
      allow = done;
    });
  client.type('echo fi"r"st\r');
  await client.until('the question', () => (seen.length === 1 ? true : undefined));
  client.type('echo sec');
  client.type('"o"nd\r');
  // The resize follows the keys on the same socket, so the keys have arrived too.
  client.send({ type: 'resize', cols: 90, rows: 30 });
  const watcher = TerminalClient.watch(rig.server.url, rig.ports.row().session.id);
  await watcher.until('the new size', () =>
    watcher.messages.find((message) => message.type === 'resize' && message.cols === 90),
  );
  expect([seen.length, client.output.includes('sec')]).toEqual([1, false]);
  verdict = () => ({ kind: 'allow' });
  allow({ kind: 'allow' });
  // The terminal may echo the typed-ahead line before the output.
  await client.waitFor('first\r\n');
  await client.waitFor('second\r\n');
  await client.close();
});

it('shows the prompt again when a line typed ahead is rejected', async () => {
  const client = await rig.openTerminal();
  client.type('sleep 1\r');
  await client.waitFor('sleep 1\r\n');
  verdict = async (line) => {
    if (!line.includes('forbidden')) return { kind: 'allow' };
    // Wait until the line editor shows the line.
    await client.waitFor('ready> touch forbidden-ahead');
    return { kind: 'deny', message: 'This command is not allowed.' };
  };
  client.type('touch forbidden-ahead\r');
  await client.waitFor('\r\nThis command is not allowed.\r\n');
  await client.waitFor('ready> ');
  client.type('echo st"i"ll here\r');
  await client.waitFor('\rstill here\r\n');
  await client.close();
  await rig.finished(client);
  expect(await wasMade('forbidden-ahead')).toBe(false);
});

it('runs a warned line after Enter again, a confirmed one after its word, and logs both answers', async () => {
  verdict = (line) =>
    line.includes('w"a"rned') ? WARNING : line.includes('"') ? CONFIRMATION : { kind: 'allow' };
  const client = await rig.openTerminal();
  client.type('echo w"a"rned\r');
  await client.waitFor('Really?\r\nPress Enter again');
  await client.answer('\r');
  await client.waitFor('\rwarned\r\n');
  client.type('echo o"n"e\r');
  await client.waitFor('Type production');
  await client.answer('produx');
  await client.waitFor('produx');
  client.type('\x7fction');
  await client.waitFor('ction');
  client.type('\r');
  await client.waitFor('\rone\r\n');
  client.type('exit\r');
  await client.message('closed');
  await rig.finished(client);
  expect(commands()).toMatchObject([
    { input: 'echo w"a"rned', output: 'warned', verdict: 'acknowledged' },
    { input: 'echo o"n"e', output: 'one', verdict: 'confirmed' },
    { input: 'exit' },
  ]);
});

it.each([
  ['another key after a warning', WARNING, ['n']],
  ['another word', CONFIRMATION, ['producti', '\r']],
  ['Ctrl-C', CONFIRMATION, ['prod', '\x03']],
  ['a pasted word with its Enter', CONFIRMATION, ['production\r']],
  ['a marked paste', CONFIRMATION, ['\x1b[200~production\x1b[201~', '\r']],
])('rejects the line after %s', async (_name, question, keys) => {
  verdict = (line) => (line.startsWith('touch') ? question : { kind: 'allow' });
  const client = await rig.openTerminal();
  client.type('touch declined\r');
  await client.waitFor('Really?\r\n');
  const [first = '', ...others] = keys;
  await client.answer(first);
  for (const key of others) client.type(key);
  await client.waitFor('\r\nReally?\r\n');
  await client.waitFor('ready> ');
  client.type('echo ne"x"t\r');
  await client.waitFor('\rnext\r\n');
  await client.close();
  await rig.finished(client);
  expect(await wasMade('declined')).toBe(false);
  expect(commands()[0]).toMatchObject({
    input: 'touch declined',
    output: 'Really?',
    isRefused: true,
    verdict: 'declined',
  });
});

it('does not take the rest of a paste as the answer', async () => {
  verdict = (line) => (line.startsWith('touch') ? CONFIRMATION : { kind: 'allow' });
  const client = await rig.openTerminal();
  client.type('touch pasted\rproduction\r');
  await client.waitFor('Type production');
  // A second piece of the paste arrives after the question.
  client.type('production\r');
  await client.answer('\x03');
  await client.waitFor('ready> ');
  await client.close();
  await rig.finished(client);
  expect(await wasMade('pasted')).toBe(false);
});

it('logs a line as declined when the user leaves during the question', async () => {
  verdict = () => CONFIRMATION;
  const client = await rig.openTerminal();
  client.type('touch left\r');
  await client.waitFor('Type production');
  await client.close();
  await rig.finished(client);
  expect(await wasMade('left')).toBe(false);
  expect(commands()).toMatchObject([{ input: 'touch left', isRefused: true, verdict: 'declined' }]);
});

it('rejects the line when the guard fails', async () => {
  verdict = () => {
    throw new Error('broken');
  };
  const client = await rig.openTerminal();
  client.type('echo thr"e"e\r');
  await client.waitFor('The command could not be checked, so it was not run.');
  expect(client.output).not.toMatch(/\rthree/);
  await client.close();
});

it('rejects a line whose question times out, and checks the next line again', async () => {
  verdict = () => ({ ...WARNING, seconds: 0.2 });
  const client = await rig.openTerminal();
  client.type('touch never-made\r');
  await client.waitFor('Press Enter again');
  await client.waitFor('\r\nReally?\r\n');
  verdict = () => ({ kind: 'allow' });
  client.type('echo ne"x"t\r');
  await client.waitFor('\rnext\r\n');
  expect(seen.map(({ line }) => line)).toEqual(['touch never-made', 'echo ne"x"t']);
  expect(await wasMade('never-made')).toBe(false);
  expect(commands()[0]).toMatchObject({ isRefused: true, verdict: 'unanswered' });
  await client.close();
});
