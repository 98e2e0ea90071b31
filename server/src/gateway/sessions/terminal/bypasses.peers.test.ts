import { chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ERRORS, say } from '@sallyport/contract';
import { beforeAll, expect, it } from 'vitest';
import { compileRule } from '../../../features/filters/rules/compile.ts';
import { decide } from '../../../features/filters/rules/decide.ts';
import { createGuard } from '../../adapters/guard.ts';
import { markdownTable, TECHNIQUES } from '../../testing/bypasses/index.ts';
import type { Step, Technique } from '../../testing/bypasses/technique.ts';
import { gatewayRig } from '../../testing/gateway-rig.ts';
import { startSshd } from '../../testing/sshd.ts';
import type { TerminalClient } from '../../testing/terminal-client.ts';

const RULE = compileRule({
  id: crypto.randomUUID(),
  type: 'command',
  content: 'forbid',
  priority: 50,
  action: 0,
  filter: 'corpus',
});
/** Both ways in which the gate refuses a line. */
const REFUSAL = new RegExp(
  [
    say(ERRORS.command_denied, 'en', { filter: 'corpus', rule: 'forbid' }),
    say(ERRORS.command_unread, 'en'),
  ]
    .map(RegExp.escape)
    .join('|'),
);

const rig = gatewayRig(
  {
    guard: createGuard({
      has: () => true,
      known: () => Promise.resolve(),
      decideStatement: async () => ({ isAllowed: false }),
      decide: async (_account, text) => {
        for (const line of text.split(/\r\n|\r|\n/)) {
          const decision = decide([RULE], line);
          if (!decision.isAllowed) return decision;
        }
        return { isAllowed: true };
      },
    }),
  },
  startSshd,
);

beforeAll(async () => {
  const { home } = rig.sshd;
  const bin = join(home, 'bin');
  for (const folder of [bin, join(home, 'made')]) {
    await mkdir(folder);
    await chmod(folder, 0o777);
  }
  // What runs leaves its first argument as a file.
  await writeFile(join(bin, 'forbid'), '#!/bin/sh\n: > ~/made/$1\n');
  await chmod(join(bin, 'forbid'), 0o755);
  await chmod(home, 0o777);
  const start =
    "PS1='ready> '; PS2='more> '; PS3='more> '; export PATH=~/bin:$PATH LC_ALL=C.UTF-8\n";
  for (const file of ['.bash_profile', '.bashrc']) await writeFile(join(home, file), start);
});

const SESSIONS = 6;
const ATTEMPTS = 20;
/** Where the name of the file belongs; a shell has the same sign for its arguments. */
const PLACE = /(?<![$[{])@/g;

/** Types the steps of a technique, each when the one before it has been dealt with; whether one was refused. */
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
    const shown = () => plain(client.output.slice(from));
    // Letters are there before they are edited: this is about what keys do, and not about how fast they come.
    const [letters = ''] = /^[ -~]*/.exec(keys) ?? [];
    if (letters !== '' && /[^\r\n]/.test(keys.slice(letters.length)) && isSentOff(step)) {
      client.type(letters);
      await client.until(`${name}: ${letters} on the screen`, () =>
        shown().endsWith(letters) ? true : undefined,
      );
      client.type(keys.slice(letters.length));
    } else client.type(keys);
    await client.until(`${name}: ${JSON.stringify(step)} until ${until}`, () => {
      const text = shown();
      // A refusal gives the line up; what is shown behind it is the prompt.
      const refusal = text.search(REFUSAL);
      if (refusal >= 0)
        return isRepeated(client.output.slice(from)) &&
          (until.test(text.slice(refusal)) || /[>$] $/.test(text.slice(refusal)))
          ? true
          : undefined;
      return (text.includes('\n') || !isSentOff(step)) && until.test(text) ? true : undefined;
    });
    isRefused ||= REFUSAL.test(shown());
  }
  return isRefused;
}

/** Where a line editor shows no prompt after a refusal, the gate has it clear the screen, and says again what it refused. */
function isRepeated(output: string): boolean {
  const cleared = output.indexOf('\x1b[2J', output.search(REFUSAL));
  return cleared < 0 || REFUSAL.test(output.slice(cleared));
}

/** Whether the step ends a line at the prompt, so that a new row follows. */
const isSentOff = (step: Step) =>
  typeof step === 'string' ||
  (step.until?.source === 'ready> $' &&
    ['\r', '\n', '\x0f'].some((key) => step.keys.includes(key)));

// biome-ignore lint/suspicious/noControlCharactersInRegex: terminal sequences begin with a control character
const plain = (text: string) => text.replace(/\x1b\[[0-9;?]*[a-zA-Z]/g, '');

const atPrompt = (client: TerminalClient) => /ready> $/.test(plain(client.output));

/** Back to the first prompt, whatever a technique left: Ctrl-C for an unfinished line, and a line that says that it came there. */
async function settle(client: TerminalClient, name: string): Promise<void> {
  if (!atPrompt(client)) client.type('\x03');
  // A shell that was busy when the signal came shows its prompt at the next key; a program that ends drops what was typed while it ran.
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

it('each technique of the corpus ends as the document says, with a real shell', async () => {
  const { home } = rig.sshd;
  const found: { technique: Technique; isRefused: boolean; name: string }[] = [];
  const waiting = [...TECHNIQUES.entries()];
  // Some wait for the echo of hidden lines: several sessions wait at the same time.
  const work = async () => {
    const client = await rig.openTerminal();
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const [index, technique] = next;
      const name = `t${index}`;
      const isRefused = await play(client, technique.steps, name).catch((e) => {
        console.log(String(e).slice(0, 120), JSON.stringify(client.output.slice(-500)));
        return false;
      });
      await settle(client, name);
      if (technique.elsewhere) {
        const other = `e${index}`;
        await writeFile(
          join(home, `prepared-${other}`),
          `${technique.elsewhere.content.replace(PLACE, other)}\n`,
        );
        await chmod(join(home, `prepared-${other}`), 0o777);
        await play(client, technique.elsewhere.steps, other).catch((e) => {
          console.log(String(e).slice(0, 120), JSON.stringify(client.output.slice(-500)));
          return false;
        });
        await settle(client, other);
      }
      found.push({ technique, isRefused, name });
    }
    await client.close();
  };
  await Promise.all(Array.from({ length: SESSIONS }, work));
  const made = new Set(await readdir(join(home, 'made')));
  const wrong = found.flatMap(({ technique: { what, mark, family }, isRefused, name }) => {
    const ran = made.has(name);
    const ranElsewhere = made.has(name.replace('t', 'e'));
    const isRight = {
      caught: isRefused && !ran,
      direct: isRefused && !ran && ranElsewhere,
      free: !isRefused && ran,
    }[mark];
    return isRight ? [] : [{ family, what, mark, isRefused, ran, ranElsewhere }];
  });
  expect(wrong).toEqual([]);
});

it('has at least two hundred techniques, each once, and the document shows them with the score', async () => {
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
