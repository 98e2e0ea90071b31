import { ERRORS, say } from '@sallyport/contract';
import type { ServerChannel } from '@sallyport/ssh';
import { beforeEach, expect, it } from 'vitest';
import { gatewayRig } from '../../../testing/gateway/gateway-rig.ts';
import { denyRule, ruleGuard } from '../../../testing/gateway/rule-guard.ts';
import { startSshServer } from '../../../testing/ssh/ssh-server.ts';
import type { TerminalClient } from '../../../testing/terminals/terminal-client.ts';

const UNREAD = say(ERRORS.command_unread, 'en');
const FILTERED = 'The command filter';
const DEL = '\x7f';
const SEARCH = '\x1f';
/** The line that a search finds. */
const FOUND = 'true; denyme';
const PROMPT = '\x1b[?2004hready> ';
/** Milliseconds to the echo of a key on a slow connection. */
const SLOW = 150;

/** Lines that the shell of the target ran. */
let ran: string[];
let judged: string[];
/** Milliseconds from a key to its echo; Infinity for a key that waits for the next one. */
let delayOf: (key: string) => number;

/** A line editor that shows the effect of each key later, in order. */
function edit(channel: ServerChannel): void {
  let line = '';
  let isCommand = false;
  let isSearch = false;
  let output = Promise.resolve();
  let next: (() => void) | undefined;
  const later = (key: string, text: string) => {
    next?.();
    const delay = delayOf(key);
    const due = new Promise<void>((done) => {
      if (Number.isFinite(delay)) setTimeout(done, delay);
      else next = () => setTimeout(done, 20);
    });
    output = Promise.all([output, due]).then(() => {
      if (channel.writable) channel.write(text);
    });
  };
  channel.write(PROMPT);
  channel.on('data', (data: Buffer) => {
    for (const key of data.toString()) {
      if (isSearch && key === '\r') {
        // Enter ends the search and leaves its result in the line.
        isSearch = false;
        line = FOUND;
        later(key, `\r\x1b[Kready> ${FOUND}`);
      } else if (key === SEARCH) {
        isSearch = true;
        later(key, '/');
      } else if (key === '\r') {
        ran.push(line);
        later(key, `\x1b[?2004l\r\n${PROMPT}`);
        line = '';
      } else if (key === '\x03') {
        later(key, `^C\r\n${PROMPT}`);
        line = '';
      } else if (key === DEL) {
        line = line.slice(0, -1);
        later(key, '\b \b');
      } else if (key === '\x15' || key === '\x17') {
        const kept = key === '\x15' ? '' : line.replace(/[^ ]* *$/, '');
        later(key, '\b \b'.repeat(line.length - kept.length));
        line = kept;
      } else if (key === '\x1b' || isCommand) {
        // The keys after Escape are commands: they move the cursor there and back.
        isCommand = true;
        later(key, '\b\x1b[C');
      } else {
        line += key;
        later(key, key);
      }
    }
  });
}

const guard = ruleGuard([denyRule('denyme')], (line) => judged.push(line));
const startTarget = () =>
  startSshServer({
    runs: (request, program) => {
      if (request === 'shell') edit(program.accept());
      return request === 'shell';
    },
  });
const rig = gatewayRig({ guard }, startTarget);
beforeEach(() => {
  ran = [];
  judged = [];
  delayOf = () => SLOW;
});

/** Types keys together and waits for their echo. */
async function press(client: TerminalClient, keys: string): Promise<void> {
  client.type(keys);
  await client.waitFor(keys);
}

it('waits for the echo of the last key when the key before is echoed after it', async () => {
  const client = await rig.openTerminal();
  await press(client, 'denyme');
  delayOf = (key) => (key === 'x' ? Number.POSITIVE_INFINITY : 1.3 * SLOW);
  client.type('x');
  client.type(`${DEL}\r`);
  await client.waitFor(FILTERED);
  await client.close();
  await rig.finished(client);
  expect(judged).toEqual(['denyme']);
  expect(ran).toEqual([]);
});

it.each([
  ['one Backspace', 1, ['denymex', DEL, '\r']],
  ['two Backspaces', 2, ['denymexx', `${DEL}${DEL}`, '\r']],
  ['Backspaces in the packet with Enter', 2, [`denymexx${DEL}${DEL}\r`]],
  ['Ctrl-W and Enter', 1, ['denyme xx', '\x17\r']],
  ['Ctrl-U', 1, ['xx', '\x15denyme\r']],
])('waits for the effect of keys that stops for 300 ms: %s', async (_what, last, packets) => {
  const client = await rig.openTerminal();
  let edits = 0;
  delayOf = (key) => {
    edits += '\x7f\x17\x15'.includes(key) ? 1 : 0;
    return edits === last ? 300 : 1;
  };
  for (const packet of packets) client.type(packet);
  await client.waitFor(FILTERED);
  await client.close();
  await rig.finished(client);
  expect(judged.map((line) => line.trim())).toEqual(['denyme']);
  expect(ran).toEqual([]);
});

it.each([
  ['all in one packet', [`xx${DEL}${DEL}denyme\r`]],
  ['the last letters in a packet with Enter', [`x${DEL}deny`, 'me\r']],
  ['Enter alone', [`x${DEL}denyme`, '\r']],
  ['with another line after Enter', [`x${DEL}denyme\rx${DEL}echo\r`]],
  ['with the same letters before', [`: me; denyx${DEL}me\r`]],
])('waits for text whose echo stops for 300 ms: %s', async (_what, packets) => {
  const client = await rig.openTerminal();
  let isEdited = false;
  delayOf = (key) => {
    isEdited ||= key === DEL;
    return isEdited && key === 'm' ? 300 : 1;
  };
  for (const packet of packets) client.type(packet);
  await client.waitFor(FILTERED);
  await client.close();
  await rig.finished(client);
  expect(judged).toEqual([packets.join('').startsWith(':') ? ': me; denyme' : 'denyme']);
  expect(ran).toEqual([]);
});

it.each([
  ['is incomplete', `x${DEL}denyme`, 'm'],
  ['does not begin', `echo x${DEL};denyme`, ';'],
])('refuses a line whose echo %s', async (_what, keys, stops) => {
  const client = await rig.openTerminal();
  let isStopped = false;
  delayOf = (key) => {
    isStopped ||= key === stops;
    return isStopped && key !== '\x03' ? 4000 : 1;
  };
  client.type(keys.slice(0, 1));
  client.type(`${keys.slice(1)}\r`);
  await client.waitFor(UNREAD);
  await client.close();
  await rig.finished(client);
  expect(judged).toEqual([]);
  expect(ran).toEqual([]);
});

/** Types keys one after the other, each after the echo of the one before. */
async function pressEach(client: TerminalClient, keys: readonly string[]): Promise<void> {
  for (const key of keys) {
    const { length } = client.output;
    client.type(key);
    await client.until('the echo', () => (client.output.length > length ? true : undefined));
  }
}

it('reads an edited line without its last typed text when each key had its own output', async () => {
  const client = await rig.openTerminal();
  delayOf = () => 1;
  await pressEach(client, ['e', 'c', 'h', 'o', '\x1b', 'b', 'w']);
  client.type('\r');
  await client.until('the line to run', () => (ran.length > 0 ? true : undefined));
  await client.close();
  await rig.finished(client);
  expect(ran).toEqual(['echo']);
  expect(judged).toEqual(['echo']);
});

it.each([
  ['together', [`${SEARCH}true`, '\r\r']],
  ['one after the other', [`${SEARCH}true`, '\r', '\r']],
])('decides the line that a search leaves when two Enters follow %s', async (_what, packets) => {
  const client = await rig.openTerminal();
  for (const packet of packets) client.type(packet);
  await client.waitFor(FILTERED);
  await client.close();
  await rig.finished(client);
  expect(judged.at(-1)).toBe(FOUND);
  expect(ran).toEqual([]);
});
