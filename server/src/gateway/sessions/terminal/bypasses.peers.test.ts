import { chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ERRORS, say } from '@sallyport/contract';
import { beforeAll, expect, it } from 'vitest';
import { gatewayRig } from '../../../testing/gateway/gateway-rig.ts';
import { denyRule, ruleGuard } from '../../../testing/gateway/rule-guard.ts';
import { startSshd } from '../../../testing/ssh/sshd.ts';
import { markdownTable, TECHNIQUES } from '../../../testing/terminals/bypasses/index.ts';
import type { Step, Technique } from '../../../testing/terminals/bypasses/technique.ts';
import type { TerminalClient } from '../../../testing/terminals/terminal-client.ts';

/** The messages with which the gate rejects a line. */
const REFUSAL = new RegExp(
  [
    say(ERRORS.command_denied, 'en', { filter: 'corpus', rule: 'forbid' }),
    say(ERRORS.command_unread, 'en'),
    say(ERRORS.command_uncertain, 'en'),
  ]
    .map(RegExp.escape)
    .join('|'),
);

const rig = gatewayRig({ guard: ruleGuard([denyRule('forbid')]) }, startSshd);

beforeAll(async () => {
  const { home } = rig.sshd;
  const bin = join(home, 'bin');
  for (const folder of [bin, join(home, 'made')]) {
    await mkdir(folder);
    await chmod(folder, 0o777);
  }
  // Each command creates a file named like its first argument.
  await writeFile(join(bin, 'forbid'), '#!/bin/sh\n: > ~/made/$1\n');
  await chmod(join(bin, 'forbid'), 0o755);
  await chmod(home, 0o777);
  const start =
    "PS1='ready> '; PS2='more> '; PS3='more> '; export PATH=~/bin:$PATH LC_ALL=C.UTF-8\n";
  for (const file of ['.bash_profile', '.bashrc']) await writeFile(join(home, file), start);
});

const SESSIONS = 6;
const ATTEMPTS = 20;
/** Placeholder for the file name. The lookbehind spares the shell's own `$@`, `${@}` and `$[@]`. */
const PLACE = /(?<![$[{])@/g;

/** Types the steps of a technique and waits for each. Returns true if the gate rejected one. */
async function play(
  client: TerminalClient,
  steps: readonly Step[],
  name: string,
): Promise<boolean> {
  let isRefused = false;
  for (const step of steps) {
    const from = client.output.length;
    const until = typeof step === 'string' ? /(?:ready|more)> $/ : (step.until ?? /$/);
    const keys = (typeof step === 'string' ? `${step}\r` : step.keys).replace(PLACE, name);
    const output = () => plain(client.output.slice(from));
    // Wait for the echo of the letters before editing keys: timing is not under test here.
    const [letters = ''] = /^[ -~]*/.exec(keys) ?? [];
    if (letters !== '' && /[^\r\n]/.test(keys.slice(letters.length)) && isSentOff(step)) {
      client.type(letters);
      await client.until(`${name}: ${letters} on the screen`, () =>
        output().endsWith(letters) ? true : undefined,
      );
      client.type(keys.slice(letters.length));
    } else client.type(keys);
    await client.until(`${name}: ${JSON.stringify(step)} until ${until}`, () => {
      const text = output();
      // A rejection discards the line, so the text after it is the prompt.
      const refusal = text.search(REFUSAL);
      if (refusal >= 0)
        return isRepeated(client.output.slice(from)) &&
          (until.test(text.slice(refusal)) || /[>$] $/.test(text.slice(refusal)))
          ? true
          : undefined;
      return (text.includes('\n') || !isSentOff(step)) && until.test(text) ? true : undefined;
    });
    isRefused ||= REFUSAL.test(output());
  }
  return isRefused;
}

/**
 * Returns true unless the gate cleared the screen after a rejection without repeating the message.
 * It clears the screen when a line editor shows no prompt.
 */
function isRepeated(output: string): boolean {
  const cleared = output.indexOf('\x1b[2J', output.search(REFUSAL));
  return cleared < 0 || REFUSAL.test(output.slice(cleared));
}

/** Returns true if the step ends a line at the prompt, so that output follows on a new row. */
const isSentOff = (step: Step) =>
  typeof step === 'string' ||
  (step.until?.source === 'ready> $' &&
    ['\r', '\n', '\x0f'].some((key) => step.keys.includes(key)));

// biome-ignore lint/suspicious/noControlCharactersInRegex: terminal sequences begin with a control character
const plain = (text: string) => text.replace(/\x1b\[[0-9;?]*[a-zA-Z]/g, '');

const atPrompt = (client: TerminalClient) => /ready> $/.test(plain(client.output));

/** Returns to the first prompt: sends Ctrl-C to an unfinished line, then a marker line. */
async function settle(client: TerminalClient, name: string): Promise<void> {
  if (!atPrompt(client)) client.type('\x03');
  // A busy shell shows its prompt only at the next key. A program that ends drops its type-ahead.
  for (let attempt = 1; ; attempt++) {
    const word = `${name}-${attempt}`;
    const later = performance.now() + 2000;
    const isLate = () => (attempt < ATTEMPTS && performance.now() > later) || undefined;
    await client.until(`a prompt after ${name}`, () => atPrompt(client) || isLate());
    client.type(`   echo do"n"e-${word}\r`);
    const end = new RegExp(`[\\r\\n]done-${word}\\r\\n[^]*ready> $`);
    const isThere = () => end.test(plain(client.output)) || undefined;
    if (
      (await client.until(`the end of ${name}`, () => (isThere() ? 'there' : isLate()))) === 'there'
    )
      return;
    client.type('\x15');
  }
}

it('stops or allows each technique of the corpus as documented, with a real shell', async () => {
  const { home } = rig.sshd;
  const results: { technique: Technique; isRefused: boolean; name: string }[] = [];
  const waiting = [...TECHNIQUES.entries()];
  // Some techniques wait for the echo of hidden lines, so run several sessions in parallel.
  const work = async () => {
    const client = await rig.openTerminal();
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const [index, technique] = next;
      const name = `t${index}`;
      const isRefused = await play(client, technique.steps, name);
      await settle(client, name);
      if (technique.elsewhere) {
        const other = `e${index}`;
        await writeFile(
          join(home, `prepared-${other}`),
          `${technique.elsewhere.content.replace(PLACE, other)}\n`,
        );
        await chmod(join(home, `prepared-${other}`), 0o777);
        await play(client, technique.elsewhere.steps, other);
        await settle(client, other);
      }
      results.push({ technique, isRefused, name });
    }
    await client.close();
  };
  await Promise.all(Array.from({ length: SESSIONS }, work));
  const files = new Set(await readdir(join(home, 'made')));
  const wrong = results.flatMap(({ technique: { what, mark, family }, isRefused, name }) => {
    const ran = files.has(name);
    const ranElsewhere = files.has(name.replace('t', 'e'));
    const isRight = {
      caught: isRefused && !ran,
      direct: isRefused && !ran && ranElsewhere,
      free: !isRefused && ran,
    }[mark];
    return isRight ? [] : [{ family, what, mark, isRefused, ran, ranElsewhere }];
  });
  expect(wrong).toEqual([]);
});

it('lists at least two hundred unique techniques, and the document shows them with the score', async () => {
  expect(TECHNIQUES.length).toBeGreaterThanOrEqual(200);
  expect(new Set(TECHNIQUES.map(({ family, what }) => `${family}: ${what}`)).size).toBe(
    TECHNIQUES.length,
  );
  const document = await readFile(
    new URL('../../../../../docs/command-control.md', import.meta.url),
    'utf8',
  );
  expect(document).toContain(markdownTable());
});
