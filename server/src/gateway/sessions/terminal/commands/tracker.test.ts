import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { CommandRecord } from '../../../../platform/command-record.ts';
import { PROMPT, trackerRig } from './testing/tracker-rig.ts';
import { CommandTracker } from './tracker.ts';

const { rig, sshd } = trackerRig();
/** The prompt of a plain shell depends on the user. */
const isRoot = process.getuid?.() === 0;

describe('commands at a line editor', () => {
  it('records plain commands with the beginning of their output', async () => {
    const r = await rig();
    await r.type('echo hello   world');
    await r.enter();
    await r.type('printf "\\033[31mred\\033[0m\\n"; seq 3');
    await r.enter();
    expect(await r.inputs()).toEqual([
      'echo hello   world',
      'printf "\\033[31mred\\033[0m\\n"; seq 3',
    ]);
    expect(r.commands.map((command) => command.output)).toEqual(['hello world', 'red\n1\n2\n3']);
    expect(r.commands.map((command) => command.sequence)).toEqual([1, 2]);
    expect(r.commands[1]?.at).toBeGreaterThan(r.commands[0]?.at ?? Number.POSITIVE_INFINITY);
  });

  it('follows cursor keys, deletions, history and reverse search', async () => {
    const r = await rig();
    await r.type('eho one');
    // Home, two right, insert, wander, delete
    await r.type('\x01\x1b[C\x1b[Cc\x1b[D\x1b[D\x1b[C\x7f');
    await r.type('\x05\x15'); // End, Ctrl-U takes it all
    await r.type('echo onetwo\x17echo three\x01\x0b'); // Ctrl-W, Home, Ctrl-K
    await r.type('echo first');
    await r.enter();
    await r.type('\x1b[A\x1b[D\x1b[D\x1b[D\x7f\x7fF'); // recall, edit in the middle
    await r.enter();
    await r.type('\x12fir'); // Ctrl-R
    await r.enter();
    await r.type('\x10\x10\x10'); // nothing older after the start of the history is a problem
    await r.type('\x15');
    await r.enter();
    const inputs = await r.inputs();
    expect(inputs).toEqual(['echo first', 'echo Frst', 'echo first']);
    expect(r.commands.map((command) => command.output)).toEqual(['first', 'Frst', 'first']);
  });

  it('reads completed words from the screen, also after a list of candidates', async () => {
    await writeFile(join(sshd().home, 'candidate-alpha'), 'a\n', { mode: 0o644 });
    await writeFile(join(sshd().home, 'candidate-beta'), 'b\n', { mode: 0o644 });
    await writeFile(join(sshd().home, 'only-one-of-these'), 'c\n', { mode: 0o644 });
    const r = await rig();
    await r.type('cat only\t');
    await r.enter();
    await r.type('cat cand\t\t');
    await r.type('\tal\t');
    await r.enter();
    expect(await r.inputs()).toEqual(['cat only-one-of-these', 'cat candidate-alpha']);
    expect(r.commands.map((command) => command.output)).toEqual(['c', 'a']);
  });

  it('reads wide characters, and wrapped lines after editing and resizing', async () => {
    const r = await rig({ cols: 40, rows: 12 });
    await r.type('echo 你好，世界\x1b[D\x1b[D再见');
    await r.enter();
    const long = `echo ${'abcdefghij '.repeat(14)}end`;
    await r.type(long);
    // To the top row of the wrapped line, then Enter from there.
    await r.type('\x01\x1b[C\x1b[C\x1b[C\x1b[C');
    await r.enter();
    await r.type('echo before');
    r.tracker.resize(60, 20);
    r.test.shell.resize(60, 20);
    await r.test.quiet();
    await r.type(' after');
    await r.enter();
    expect(await r.inputs()).toEqual(['echo 你好，再见世界', long, 'echo before after']);
    expect(r.commands[1]?.output.startsWith('abcdefghij abcdefghij')).toBe(true);
  });

  it('records a bracketed paste as one command, and an unmarked paste as several', async () => {
    const r = await rig();
    r.keys('\x1b[200~echo a\recho b\x1b[201~');
    await r.test.quiet();
    await r.enter();
    await r.test.quiet();
    r.keys('echo c\recho d\r');
    await r.test.waitFor('\rd\r\n');
    await r.test.waitFor(PROMPT);
    await r.test.quiet();
    expect(await r.inputs()).toEqual(['echo a\necho b', 'echo c', 'echo d']);
  });

  it('drops a discarded line, and finds the next one after the screen is cleared', async () => {
    const r = await rig();
    await r.type('rm -rf never');
    r.test.forget();
    r.keys('\x03');
    await r.test.waitFor(PROMPT);
    await r.type('echo x');
    await r.type('\x0c');
    await r.type('y');
    await r.enter();
    await r.enter();
    expect(await r.inputs()).toEqual(['echo xy']);
  });
});

describe('alternate screens and lines without echo', () => {
  it('keeps lines typed without echo out of the log', async () => {
    const r = await rig();
    await r.type('read -s -p "Password: " x; echo; read -s y');
    r.keys('\r');
    await r.test.waitFor('Password: ');
    await r.test.waitFor('Password: ');
    await r.type('TopSecret1');
    r.keys('\r');
    await r.test.quiet();
    await r.type('TopSecret2');
    r.keys('\r');
    await r.test.waitFor(PROMPT);
    await r.test.quiet();
    await r.type('echo done');
    await r.enter();
    await r.inputs();
    expect(JSON.stringify(r.commands)).not.toContain('TopSecret');
    expect(r.commands.map((command) => command.input)).toEqual([
      'read -s -p "Password: " x; echo; read -s y',
      '# 1 line typed without echo',
      'echo done',
    ]);
  });

  it('records commands of a shell on the alternate screen', async () => {
    const r = await rig();
    await r.type('echo one');
    await r.enter();
    await r.type("printf '\\033[?1049h'");
    await r.enter();
    await r.type('echo hidden');
    await r.enter();
    expect(await r.inputs()).toContain('echo hidden');
  });

  it('records commands on the alternate screen when the prompt starts in mid-row', async () => {
    const { type, enter, inputs } = await rig();
    await type('echo first');
    await enter();
    await type("printf '\\e[?1049hleft over'");
    await enter();
    await type('echo second');
    await enter();
    expect(await inputs()).toEqual(['echo first', "printf '\\e[?1049hleft over'", 'echo second']);
  });
});

describe('programs without marked pastes', () => {
  it('records lines for a plain shell and for a program that prompts', async () => {
    const r = await rig();
    await r.type('sh');
    r.keys('\r');
    await r.test.waitFor(isRoot ? '# ' : '$ ');
    await r.test.quiet();
    await r.type('echo from sh');
    r.keys('\r');
    await r.test.waitFor('\nfrom sh');
    await r.test.quiet();
    r.keys('echo p\recho q\r');
    await r.test.waitFor(' q\r\n');
    await r.test.quiet();
    await r.type('exit');
    await r.enter();
    expect(await r.inputs()).toEqual(['sh', 'echo from sh', 'echo p', 'echo q', 'exit']);
    expect(r.commands[1]?.output).toBe('from sh');
  });
});

describe('lines that were typed before the first prompt', () => {
  const PLAIN = '$ ';
  const EDITED = '\x1b[?2004h\x1b[1;32mme@box\x1b[0m:~$ ';
  const greeting = 'Welcome to the box.\r\nAll is recorded.\r\n\r\n';

  function scripted() {
    const commands: string[] = [];
    let now = 0;
    const tracker = new CommandTracker({
      owner: 'Owner(owner)',
      cols: 80,
      rows: 24,
      charset: 'utf8',
      elapsed: () => now,
      onCommand: ({ input }) => commands.push(input),
      onDrain: () => undefined,
    });
    return {
      prints: (text: string) => tracker.output(Buffer.from(text)),
      types: (text: string) => tracker.input(Buffer.from(text)),
      /** Waits until all output is on the screen, then advances the clock. */
      passes: async (milliseconds: number) => {
        await tracker.settled(() => true);
        now += milliseconds;
      },
      inputs: async () => {
        await tracker.end();
        return commands;
      },
    };
  }

  it('finds a line typed before the prompt once a line editor redraws it', async () => {
    const shell = scripted();
    shell.types('whoami\r');
    shell.prints(greeting + EDITED);
    shell.prints('whoami\r\x1b[J\x1b[1;32mme@box\x1b[0m:~$ whoami\r\x1b[17C\r\n\x1b[?2004l\r');
    shell.prints(`me\r\n${EDITED}`);
    expect(await shell.inputs()).toEqual(['whoami']);
  });

  it('finds a line typed during the greeting of a plain shell', async () => {
    const shell = scripted();
    shell.prints('Welcome to the box.\r\n');
    shell.types('whoami\r');
    shell.prints(`All is recorded.\r\n${PLAIN}whoami\r\nme\r\n${PLAIN}`);
    shell.types('id\r');
    shell.prints(`id\r\n${PLAIN}`);
    expect(await shell.inputs()).toEqual(['whoami', 'id']);
  });

  it('records later lines when the shell never echoed the first one', async () => {
    const shell = scripted();
    shell.types('TopSecret\r');
    shell.prints(greeting + PLAIN);
    await shell.passes(2_100);
    shell.types('id\r');
    shell.prints(`id\r\n${PLAIN}`);
    expect(await shell.inputs()).toEqual(['id']);
  });
});

describe('floods', () => {
  it('finds the next command after megabytes of output, and the first output of the flood', async () => {
    const r = await rig();
    await r.type('seq 400000');
    await r.enter();
    await r.type('echo after the flood');
    await r.enter();
    expect(await r.inputs()).toEqual(['seq 400000', 'echo after the flood']);
    expect(r.commands[0]?.output.startsWith('1\n2\n3\n')).toBe(true);
    expect(r.commands[0]?.output.length).toBeLessThanOrEqual(1024);
    expect(r.commands[1]?.output).toBe('after the flood');
  });
});

/** A tracker without a shell. `print` shows output of a program. */
function looseTracker() {
  const commands: CommandRecord[] = [];
  const tracker = new CommandTracker({
    owner: 'Owner(owner)',
    cols: 80,
    rows: 24,
    charset: 'utf8',
    elapsed: () => performance.now(),
    onCommand: (command) => commands.push(command),
    onDrain: () => undefined,
  });
  const print = async (text: string) => {
    tracker.output(Buffer.from(text));
    await tracker.settled(() => true);
  };
  return { commands, tracker, print };
}

it('records a line without the prompt when its first key came before the prompt', async () => {
  const { commands, tracker, print } = looseTracker();
  await print('ready> ');
  tracker.input(Buffer.from('echo hello\r'));
  await print('echo hello\r\nhello\r\n');
  tracker.input(Buffer.from('stty size\r'));
  await print('ready> stty size\r\n24 80\r\nready> ');
  await tracker.end();
  expect(commands.map(({ input, output }) => ({ input, output }))).toEqual([
    { input: 'echo hello', output: 'hello' },
    { input: 'stty size', output: '24 80' },
  ]);
});

it('records a line that fills its row without the output below it', async () => {
  const { commands, tracker, print } = looseTracker();
  const line = `say ${'a'.repeat(69)}`;
  await print('ready> ');
  tracker.input(Buffer.from(line));
  // busybox goes to the next row at the edge, and not again at Enter.
  await print(`${line}\r\r\n`);
  tracker.input(Buffer.from('\r'));
  await print('noted\r\nready> ');
  await tracker.end();
  expect(commands.map(({ input }) => input)).toEqual([line]);
});
