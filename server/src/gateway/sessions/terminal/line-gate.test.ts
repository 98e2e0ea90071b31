import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Verdict } from '../../ports.ts';
import { type GatewayServer, startGateway } from '../../testing/gateway-server.ts';
import { type MemoryPorts, memoryPorts, PERSON } from '../../testing/memory-ports.ts';
import { startSshd, type TestSshd } from '../../testing/sshd.ts';
import { TerminalClient } from '../../testing/terminal-client.ts';

let sshd: TestSshd;
let directory: string;
let ports: MemoryPorts;
let server: GatewayServer;
let seen: { line: string; isHidden: boolean }[];
let verdict: (line: string) => Verdict | Promise<Verdict>;

beforeAll(async () => {
  sshd = await startSshd();
  await writeFile(join(sshd.home, '.bash_profile'), "PS1='ready> '\n", { mode: 0o644 });
});
afterAll(() => sshd.stop());
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sallyport-guard-'));
  seen = [];
  verdict = (line) => (line.includes('forbidden') ? { kind: 'deny', message: 'This command is not allowed.' } : { kind: 'allow' });
  ports = {
    ...memoryPorts(sshd),
    guard: {
      before: (line, { isHidden }) => {
        seen.push({ line, isHidden });
        return verdict(line);
      },
    },
  };
  server = await startGateway(ports, directory, PERSON);
});
afterEach(async () => {
  await server.stop();
  await rm(directory, { recursive: true, force: true });
});

async function openTerminal(): Promise<TerminalClient> {
  const client = await TerminalClient.connect(server.url, { asset: 'a', system_user: 's' });
  await client.message('open');
  await client.waitFor('ready> ');
  return client;
}

/** The only session's row, which the server writes into its own ports. */
const commands = () => [...ports.rows.values()].flatMap((row) => row.commands);
const wasMade = (name: string) =>
  readFile(join(sshd.home, name)).then(
    () => true,
    () => false,
  );

it('a refused line never reaches the target; the person sees why, what follows in the same paste is dropped, and the record says so', async () => {
  const client = await openTerminal();
  client.type('touch forbidden-one\rtouch after-it\r');
  await client.waitFor('This command is not allowed.');
  await client.waitFor('ready> ');
  client.type('echo st"i"ll here\r');
  await client.waitFor('\rstill here\r\n');
  client.type('exit\r');
  await client.message('closed');
  await client.until('the end of the row', () => ports.row().end);
  expect(seen).toEqual([
    { line: 'touch forbidden-one', isHidden: false },
    { line: 'echo st"i"ll here', isHidden: false },
    { line: 'exit', isHidden: false },
  ]);
  expect([await wasMade('forbidden-one'), await wasMade('after-it')]).toEqual([false, false]);
  const [refused, allowed] = commands();
  expect(refused).toMatchObject({ input: 'touch forbidden-one', output: 'This command is not allowed.', isRefused: true });
  expect(allowed).toMatchObject({ input: 'echo st"i"ll here', output: 'still here' });
  expect(allowed?.isRefused).toBeUndefined();
}, 30_000);

it('a line from the history is checked as the screen shows it, and one without echo as it was typed', async () => {
  const client = await openTerminal();
  client.type('echo for"bidd"en-two\r');
  await client.waitFor('\rforbidden-two\r\n');
  verdict = (line) => (line.includes('two') || line.includes('secret') ? { kind: 'deny', message: 'No.' } : { kind: 'allow' });
  client.type('\x1b[A\r');
  await client.waitFor('\r\nNo.\r\n');
  await client.waitFor('ready> ');
  client.type('stty -echo; echo si"l"ent; cat\r');
  await client.waitFor('\rsilent\r\n');
  client.type('touch secret-file\r');
  await client.waitFor('\r\nNo.\r\n');
  await client.close();
  await client.until('the end of the row', () => ports.row().end);
  expect(seen.at(-1)).toEqual({ line: 'touch secret-file', isHidden: true });
  expect(JSON.stringify(commands())).not.toContain('secret-file');
  expect(commands().filter(({ isRefused }) => isRefused)).toHaveLength(2);
}, 30_000);

it('what is typed while the guard thinks waits in its order', async () => {
  const client = await openTerminal();
  let allow: (verdict: Verdict) => void = () => undefined;
  verdict = () =>
    new Promise((done) => {
      allow = done;
    });
  client.type('echo fi"r"st\r');
  await client.until('the question', () => (seen.length === 1 ? true : undefined));
  client.type('echo sec');
  client.type('"o"nd\r');
  // What comes after the keys has arrived, so the keys have.
  client.send({ type: 'resize', cols: 90, rows: 30 });
  const watcher = TerminalClient.watch(server.url, ports.row().session.id);
  await watcher.until('the new size', () => watcher.messages.find((message) => message.type === 'resize' && message.cols === 90));
  expect([seen.length, client.output.includes('sec')]).toEqual([1, false]);
  verdict = () => ({ kind: 'allow' });
  allow({ kind: 'allow' });
  await client.waitFor('\rfirst\r\n');
  await client.waitFor('\rsecond\r\n');
  await client.close();
}, 30_000);

it('a question is answered with y, and with anything else refuses; a guard that fails refuses', async () => {
  verdict = () => ({ kind: 'ask', message: 'Really?' });
  const client = await openTerminal();
  client.type('echo o"n"e\r');
  await client.waitFor('Really? [y/N] ');
  client.type('y');
  await client.waitFor('\rone\r\n');
  client.type('echo tw"o"\r');
  await client.waitFor('Really? [y/N] ');
  client.type('n');
  await client.waitFor('\r\nReally?\r\n');
  verdict = () => {
    throw new Error('broken');
  };
  client.type('echo thr"e"e\r');
  await client.waitFor('The command could not be checked, so it was not run.');
  expect(client.output).not.toMatch(/\rtwo|\rthree/);
  await client.close();
}, 30_000);
