import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ERRORS, say } from '@sallyport/contract';
import { beforeAll, beforeEach, expect, it } from 'vitest';
import { gatewayRig } from '../../../testing/gateway/gateway-rig.ts';
import { denyRule, ruleGuard } from '../../../testing/gateway/rule-guard.ts';
import type { TerminalClient } from '../../../testing/terminals/terminal-client.ts';

const UNCERTAIN = say(ERRORS.command_uncertain, 'en');

const [HOME, END] = ['\x01', '\x05'];
/** Fills the row after prompt and command. */
const FULL = 'y'.repeat(80 - 'ready> echo '.length);

let judged: string[];
const guard = ruleGuard([denyRule('denyme')], (line) => judged.push(line));
const rig = gatewayRig({ guard });
beforeAll(async () => {
  const start = [
    "PS1='ready> '; export LC_ALL=C.UTF-8; denyme() { echo denied-ran; }; export -f denyme",
    `history -s 'echo ${FULL}; denyme'`,
    // Prints rows that mostly continue the row above, a different number each time.
    'fill() { printf "%0400d\\n" 1 2 3 4 5 6 7 8 9; seq $1; }',
    '',
  ];
  await writeFile(join(rig.sshd.home, '.bash_profile'), start.join('\n'), { mode: 0o644 });
});
beforeEach(() => {
  judged = [];
});

const commands = () => [...rig.ports.rows.values()].flatMap((row) => row.commands);

it('judges and logs a line without older rows once 300 rows have scrolled off', async () => {
  const client = await rig.openTerminal();
  const lines = Array.from({ length: 12 }, (_, index) => `fill ${index}; echo s"h"own ${index}`);
  for (const [index, line] of lines.entries()) {
    client.type(`${line}x\x7f\r`);
    await client.waitFor(`shown ${index}\r\n`);
    await client.waitFor('ready> ');
  }
  client.type('exit\r');
  await client.message('closed');
  await rig.finished(client);
  expect(judged).toEqual([...lines, 'exit']);
  expect(commands().map(({ input }) => input)).toEqual([...lines, 'exit']);
});

it.each(['x', 'xxx', 'xxxxx'])(
  'reads every character of a redrawn line that begins with %j',
  async (first) => {
    // Each has the byte 0x80 in its second place.
    const text = `${first}${'、'.repeat(100)}${'“'.repeat(60)}`;
    const client = await rig.openTerminal();
    client.type(`: ${text}x`);
    await client.waitFor('“x');
    // The shell draws the line again, in one piece.
    await press(client, ['\x0c', DEL]);
    client.type('; echo do"n"e\r');
    await client.waitFor('done\r\n');
    client.type('exit\r');
    await client.message('closed');
    await rig.finished(client);
    const line = `: ${text}; echo do"n"e`;
    expect(judged).toEqual([line, 'exit']);
    expect(commands().map(({ input }) => input)).toEqual(judged);
  },
);

const FILTERED = 'The command filter';
const DEL = '\x7f';
const LONG = `echo ${'y'.repeat(90)}; denymex`;
const ROWS = `echo ${FULL}; denyme`;

/** Types keys one after the other, each after its echo. */
async function press(client: TerminalClient, keys: readonly string[]): Promise<void> {
  for (const key of keys) {
    const { length } = client.output;
    client.type(key);
    await client.until(`the echo of ${JSON.stringify(key)}`, () =>
      client.output.length > length ? true : undefined,
    );
  }
}

/** Opens a shell whose lines the terminal of the target edits. */
async function openPlainShell(): Promise<TerminalClient> {
  const client = await rig.openTerminal();
  client.type('PS1=plain\\>\\  bash --norc --noediting\r');
  await client.waitFor('plain> ');
  return client;
}

it.each([
  ['Home after a move down', [`echo ${FULL}; denyme`, HOME, END, HOME]],
  ['a letter on the first row', [`echo ${FULL}; denyme`, HOME, END, HOME, ' ']],
  [
    'the cursor at the beginning of the second row',
    [`echo ${FULL}; denyme`, HOME, END, '\x1bb', '\x02', '\x02'],
  ],
  ['Home in a recalled line', ['\x10', HOME, END, HOME]],
  ['wide letters on the first row', [`echo ${'中'.repeat(40)}; denyme`, HOME, END, HOME]],
  ['wide letters that leave half a cell', [`echo x${'中'.repeat(40)}; denyme`, HOME, END, HOME]],
  ['three rows', [`echo ${FULL}${'y'.repeat(80)}; denyme`, HOME, END, HOME]],
  ['the prompt on the second row', [`denyme ${FULL.slice(2)}ready> echo x`, DEL]],
  [
    'the prompt on the second row, and the cursor on the first',
    [`denyme ${FULL.slice(2)}ready> echo`, HOME, END, HOME],
  ],
])('refuses a line of several rows with %s', async (_name, keys) => {
  const client = await rig.openTerminal();
  await press(client, keys);
  client.type('\r');
  await client.waitFor(FILTERED);
  await client.close();
  await rig.finished(client);
  expect(client.output).not.toContain('denied-ran');
});

it.each([
  ['filled', 'x'],
  ['a space of the line', 'x'],
])('judges and logs wide letters after a cell that is %s', async (kind, first) => {
  const client = await rig.openTerminal();
  const text = kind === 'filled' ? `${first}${'中'.repeat(50)}` : `xx${'中'.repeat(33)} 中中`;
  await press(client, [`: ${text}`, HOME, END]);
  client.type('; echo do"n"e\r');
  await client.waitFor('done\r\n');
  client.type('exit\r');
  await client.message('closed');
  await rig.finished(client);
  expect(judged).toContain(`: ${text}; echo do"n"e`);
});

const MODES: readonly (readonly [string, string])[] = [
  ['line drawing', '\\e(0'],
  ['line drawing in the second set', '\\e)0\\016'],
  ['a British character set', '\\e(A'],
  ['line drawing restored with the cursor', '\\e(0\\e7\\e(B\\e8'],
  ['insert mode', '\\e[4h'],
  ['no wrap', '\\e[?7l'],
  ['origin mode in a scroll region', '\\e[H\\e[J\\e[3;9r\\e[?6h'],
  ['a scroll region of two rows', '\\e[23;24r\\e[24;1H'],
  ['reverse wrap', '\\e[?45h'],
  ['newline mode', '\\e[20h'],
  ['no tab stops', '\\e[3g'],
  [
    'a tab stop in each column',
    '\\r\\eH \\eH \\eH \\eH \\eH \\eH \\eH \\eH \\eH \\eH \\eH \\eH\\n',
  ],
  ['another coding system', '\\e%%@'],
];

it.each(MODES)(
  'reads edited lines of a line editor after a program left %s',
  async (_name, mode) => {
    const client = await rig.openTerminal();
    const lines: readonly (readonly string[])[] = [
      ['denymex', DEL],
      [LONG, DEL],
      ['dnyme #', HOME, '\x1b[C', 'e'],
      // The cursor moves between rows.
      [ROWS, HOME, END, HOME, END],
    ];
    for (const keys of lines) {
      client.type(`printf '${mode}'\r`);
      await client.waitFor('ready> ');
      await press(client, keys);
      client.type('\r');
      await client.waitFor(FILTERED);
      await client.waitFor('ready> ');
    }
    client.type('exit\r');
    await client.message('closed');
    await rig.finished(client);
    expect(client.output).not.toContain('denied-ran');
    const leave = `printf '${mode}'`;
    const read = ['denyme', LONG.slice(0, -1), 'denyme #', ROWS];
    expect(judged).toEqual([...read.flatMap((line) => [leave, line]), 'exit']);
    expect(commands().map(({ input }) => input)).toEqual(judged);
  },
);

const EDITS = [
  ['denymex', DEL],
  [LONG, DEL],
  ['denyme;x\t', DEL, 'aaaaaaaa'],
];

it.each(MODES.flatMap(([name, mode]) => EDITS.map((keys) => [name, keys, mode] as const)))(
  'refuses an edited line without a line editor after a program left %s: %j',
  async (_name, keys, mode) => {
    const client = await openPlainShell();
    client.type(`printf '${mode}'; echo re"a"dy\r`);
    await client.waitFor('ready');
    await client.waitFor('plain> ');
    await press(client, keys);
    client.type('\r');
    await client.waitFor(FILTERED);
    await client.close();
    await rig.finished(client);
    expect(client.output).not.toContain('denied-ran');
  },
);

it.each([
  ['denymex', DEL],
  ['denyme xyz', '\x17'],
  ['xyz', '\x15', 'denyme'],
  ['denyme汉', DEL],
])('refuses %j, %j typed before the prompt of a shell without a line editor', async (...keys) => {
  const client = await openPlainShell();
  client.type('echo r"u"ns; until [ -e go ]; do sleep 0.1; done; rm go\r');
  await client.waitFor('runs');
  await press(client, keys.slice(0, 1));
  await writeFile(join(rig.sshd.home, 'go'), '', { mode: 0o666 });
  await client.waitFor('plain> ');
  await press(client, keys.slice(1));
  client.type('\r');
  await client.waitFor(FILTERED);
  await client.close();
  await rig.finished(client);
  expect(client.output).not.toContain('denied-ran');
});

it('refuses a line that Ctrl-D sends after a program left the mode of a line editor', async () => {
  const client = await openPlainShell();
  client.type('printf \'\\e[?2004h\'; echo re"a"dy\r');
  await client.waitFor('ready');
  await client.waitFor('plain> ');
  await press(client, ['denyme']);
  client.type('\x04\x04');
  await client.waitFor(FILTERED);
  await client.close();
  await rig.finished(client);
  expect(client.output).not.toContain('denied-ran');
});

it('lets Ctrl-D delete a letter of a denied line in a line editor', async () => {
  const client = await rig.openTerminal();
  await press(client, ['denyme "', '\x01', '\x04', '\x05', DEL]);
  client.type('; echo go"n"e\r');
  await client.waitFor('gone\r\n');
  await client.close();
  await rig.finished(client);
  expect(judged).toEqual(['enyme ; echo go"n"e']);
});

it('waits for the echo of text typed after an edit', async () => {
  const slow = [
    "stty raw -echo; line=''; printf 'slow> '",
    'while IFS= read -rN1 key; do',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: an expansion of the shell
    "  case $key in $'\\r') break ;; $'\\x7f') line=${line%?}; printf '\\b \\b'; continue ;; esac",
    '  [ "$key" = m ] && sleep 0.15',
    '  line+=$key; printf %s "$key"',
    'done',
    'stty sane; echo; eval "$line"',
  ];
  await writeFile(join(rig.sshd.home, 'slow'), slow.join('\n'), { mode: 0o644 });
  const client = await rig.openTerminal();
  client.type('. ./slow\r');
  await client.waitFor('slow> ');
  client.type('x\x7fdenyme\r');
  await client.waitFor(FILTERED);
  await client.close();
  await rig.finished(client);
  expect(judged).toEqual(['. ./slow', 'denyme']);
  expect(client.output).not.toContain('denied-ran');
});

/** Modes that a prompt can set each time it is drawn. */
const OF_A_PROMPT = MODES.filter(([, mode]) => !/[HJ8]|%%/.test(mode));

it.each(OF_A_PROMPT)(
  'refuses an edited line when the prompt itself sets %s',
  async (_name, mode) => {
    const client = await rig.openTerminal();
    client.type(`PS1='ready> \\[${mode}\\]'\r`);
    await client.waitFor('ready> ');
    // The prompt is drawn again, inside of the line.
    await press(client, ['denymex', '\x0c', DEL]);
    client.type('\r');
    await client.waitFor(UNCERTAIN);
    client.type("PS1='ready> '\r");
    await client.waitFor('ready> ');
    client.type('exit\r');
    await client.message('closed');
    await rig.finished(client);
    expect(client.output).not.toContain('denied-ran');
  },
);
