// npm run tasks: does frequent tasks in a real browser, counts clicks and keys, and writes
// docs/tasks.md. npm run tasks -- WORD: only tasks whose name has the word; writes no file.
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { startSshd } from '../server/src/testing/ssh/sshd.ts';
import { launchChromium, Visitor } from './harness/browser.ts';
import { ADMIN, Server } from './harness/server.ts';
import { signInByForm } from './pages/sign-in-page.ts';
import { ACCESS_TASKS } from './tasks/access.ts';
import { FIRST_TASKS } from './tasks/first.ts';
import { Hand } from './tasks/hand.ts';
import { KEYBOARD_TASKS } from './tasks/keyboard.ts';
import { PASSWORD_TASKS } from './tasks/passwords.ts';
import { PROVIDER_TASKS } from './tasks/providers.ts';
import { REQUEST_TASKS } from './tasks/requests.ts';
import { SESSION_TASKS } from './tasks/sessions.ts';
import { TARGET_TASKS } from './tasks/targets.ts';
import type { Task, TaskWorld } from './tasks/task.ts';
import { TRANSFER_TASKS } from './tasks/transfer.ts';
import { WORK_TASKS } from './tasks/work.ts';

const FILE = resolve(import.meta.dirname, '../docs/tasks.md');
const TASKS: readonly Task[] = [
  ...FIRST_TASKS,
  ...ACCESS_TASKS,
  ...SESSION_TASKS,
  ...KEYBOARD_TASKS,
  ...TRANSFER_TASKS,
  ...PASSWORD_TASKS,
  ...REQUEST_TASKS,
  ...WORK_TASKS,
  ...TARGET_TASKS,
  ...PROVIDER_TASKS,
];
const filter = process.argv[2] ?? '';
const language = 'en';

interface Result {
  readonly name: string;
  readonly clicks: number;
  readonly keys: number;
  readonly target: number;
}

const server = await Server.launch();
const [sshd, browser] = await Promise.all([startSshd(), launchChromium()]);
const opened: Visitor[] = [];
const stops: (() => Promise<void>)[] = [];
const results: Result[] = [];
try {
  const admin = await server.signIn();
  const person: TaskWorld['person'] = async (account, where) => {
    const visitor = await Visitor.open(browser, server.url, { language });
    opened.push(visitor);
    await signInByForm(visitor, account, where);
    return visitor;
  };
  const administrator: TaskWorld['administrator'] = async (where, size) => {
    const visitor = await Visitor.open(browser, server.url, { language, ...(size && { size }) });
    opened.push(visitor);
    await signInByForm(visitor, ADMIN, where);
    return visitor;
  };
  for (const { name, target, prepare } of TASKS.filter((task) => task.name.includes(filter))) {
    const run = await prepare({
      server,
      sshd,
      admin,
      administrator,
      person,
      language,
      atEnd: (stop) => void stops.push(stop),
    });
    const hand = new Hand();
    await run(hand);
    results.push({ name, clicks: hand.clicks, keys: hand.keys, target });
    process.stdout.write(
      `${hand.clicks <= target ? 'met   ' : 'MISSED'} ${name}: ${hand.clicks} clicks (≤ ${target}), ${hand.keys} keys\n`,
    );
    await Promise.all(opened.splice(0).map(({ context }) => context.close()));
    await Promise.all(stops.splice(0).map((stop) => stop()));
  }
} finally {
  await Promise.allSettled(opened.map((visitor) => visitor.photograph('task')));
  await browser.close();
  await Promise.all([server.stop(), sshd.stop(), ...stops.map((stop) => stop())]);
}

const rows = results.map(
  ({ name, clicks, keys, target }) => `| ${name} | ${clicks} | ${target} | ${keys} |`,
);
const document = `# How many clicks common tasks take

\`npm run tasks\` does these tasks in a real browser, counts, and writes this page.
A task begins on the page that it names and ends when its result is seen.
A click into a field counts when the field has no focus. Keys are the typed characters and Enter.
Signing in is not counted.

| Task | Clicks | At most | Keys |
| --- | --- | --- | --- |
${rows.join('\n')}
`;
if (!filter) writeFileSync(FILE, document);
if (results.some(({ clicks, target }) => clicks > target)) process.exitCode = 1;
