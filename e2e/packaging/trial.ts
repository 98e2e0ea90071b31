import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { Client } from '../../server/src/testing/client.ts';
import { until } from '../../server/src/testing/poll.ts';
import type { TestSshd } from '../../server/src/testing/ssh/sshd.ts';
import { endWords } from '../../web/src/terminal/session/words.ts';
import { Visitor } from '../harness/browser.ts';
import { buildGranted } from '../harness/build.ts';
import { ADMIN, signedIn } from '../harness/server.ts';
import { signInByForm } from '../pages/sign-in-page.ts';
import { connectTo } from '../pages/terminal-page.ts';
import type { Packaged } from './packaged.ts';

/** The first start installs packages and builds the pages. */
const START_MILLISECONDS = 20 * 60_000;

/** Prints the privileges of a process, and tries to write outside of its folders. */
const LOOK =
  'grep -E "^(Uid|CapEff|CapBnd|NoNewPrivs|Seccomp):" /proc/$1/status; touch /etc/sallyport-was-here 2>&1 || echo refused';
const CONFINED = [
  /^CapEff:\s+0+$/m,
  /^CapBnd:\s+0+$/m,
  /^NoNewPrivs:\s+1$/m,
  /^Seccomp:\s+2$/m,
  /^refused$/m,
];

interface Health {
  readonly status: number;
  readonly dependencies: Readonly<Record<string, { readonly status: string }>>;
  readonly previous_end?: unknown;
}

function expect(holds: boolean, what: string): void {
  if (!holds) throw new Error(`not so: ${what}`);
}

/** Starts it and waits until it is well. */
async function untilWell(packaged: Packaged): Promise<Health> {
  const visitor = new Client(packaged.url);
  let health: Health | undefined;
  await packaged.start();
  const isWell = async () => {
    const answer = await visitor.get<Health>('/api/health/').catch(() => undefined);
    health = answer?.status === 200 ? answer.body : undefined;
    return (
      health !== undefined &&
      Object.values(health.dependencies).every(({ status }) => status === 'up')
    );
  };
  await until(isWell, 'the server is well', START_MILLISECONDS);
  if (!health) throw new Error('the server is not well');
  return health;
}

/**
 * Uses the packaged program: signs in, works in a terminal while it stops, and checks its data
 * after the next start.
 */
export async function tryOut(
  packaged: Packaged,
  browser: Browser,
  sshd: TestSshd,
  say: (line: string) => void,
): Promise<void> {
  const began = performance.now();
  await untilWell(packaged);
  await packaged.check();
  say(`is well after ${Math.round((performance.now() - began) / 1_000)} s`);
  const confined = await packaged.inside(LOOK);
  for (const line of CONFINED) expect(line.test(confined), `${line} in:\n${confined}`);
  expect(!/^Uid:\s+0\s/m.test(confined), 'the program is not root');
  say(
    'has no capability, no new privileges and a filter of system calls, and cannot write outside of its folders',
  );

  const admin = await signedIn(packaged.url, ADMIN);
  const { person, asset } = await buildGranted(admin, sshd);
  const visitor = await Visitor.open(browser, packaged.url, { language: 'en' });
  await signInByForm(visitor, person, '/luna/');
  const terminal = await connectTo(visitor.page, 'en', asset);
  await terminal.ready();
  await terminal.run('echo packaged-$((1+1))');
  await terminal.shows('packaged-2');
  say('lets a person sign in by its page and work in a terminal');

  const stopping = performance.now();
  await Promise.all([
    packaged.stop(),
    terminal.notice.getByText(endWords.stoppingTitle.en, { exact: true }).waitFor(),
  ]);
  expect((await packaged.log()).includes('"msg":"stopped"'), 'the program has stopped in order');
  const logOf = () => readFile(join(packaged.data, 'postgres.log'), 'utf8');
  expect(
    (await logOf()).trimEnd().endsWith('database system is shut down'),
    'the database has stopped in order',
  );
  say(`stops in order in ${Math.round(performance.now() - stopping)} ms while a session runs`);
  await visitor.context.close();

  const health = await untilWell(packaged);
  expect(health.previous_end === undefined, 'the next start knows of no crash');
  expect(
    !(await logOf()).includes('not properly shut down'),
    'the database had nothing to recover',
  );
  const again = await signedIn(packaged.url, ADMIN);
  interface Row {
    readonly is_finished: boolean;
    readonly end_reason: string;
    readonly can_replay: boolean;
    readonly command_amount: number;
  }
  const [session] = (
    await again.get<readonly Row[]>(`terminal/sessions/?asset=${encodeURIComponent(asset.name)}`)
  ).body;
  const kept = JSON.stringify(session);
  expect(
    session?.is_finished === true && session.can_replay && session.command_amount === 1,
    `the session is whole: ${kept}`,
  );
  expect(
    session?.end_reason === 'session_server_stopping',
    `the session says why it ended: ${kept}`,
  );
  await packaged.check();
  await packaged.stop();
  say('has kept the session with its recording and its command, and starts again without a repair');
}
