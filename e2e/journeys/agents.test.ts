import { createServer } from 'node:http';
import { agent, say } from '@sallyport/contract';
import { expect } from 'vitest';
import { words } from '../../web/src/console/features/agents/words.ts';
import { common } from '../../web/src/kit/i18n/common.ts';
import { problemsOf } from '../harness/axe.ts';
import { buildPerson } from '../harness/build.ts';
import { useStage } from '../harness/journey.ts';
import { ConsolePage } from '../pages/console-page.ts';
import { signIn } from '../pages/sign-in-page.ts';

const { journey } = useStage();

/** Calls a tool as an agent. Returns the status and the text of the answer. */
async function callTool(server: string, token: string, args: Readonly<Record<string, string>>) {
  const params = { name: 'run', arguments: args };
  const answer = await fetch(new URL('/mcp', server), {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
  });
  return { status: answer.status, text: await answer.text() };
}

journey(
  'creates an agent, shows its token once, lists its calls and ends it, in both languages',
  async (open, { admin, server }) => {
    for (const language of ['en', 'zh'] as const) {
      const person = await buildPerson(admin);
      const visitor = await open({ language });
      const { page } = visitor;
      const view = new ConsolePage(visitor);
      const word = (text: Parameters<typeof say>[0]) => say(text, language);
      await signIn(visitor, person, '/ui/agents/agents/create');
      const fill = async (name: keyof typeof agent.fields, value: string) =>
        view.field(agent.fields[name].label).fill(value);
      await fill('name', 'disk-check');
      await fill('task', 'Look at the disks');
      await fill('hosts', 'web-*');
      await fill('accounts', '*');
      await fill('commands', 'df -h');
      await fill('password', person.password);
      expect(await problemsOf(page, `the form of an agent (${language})`)).toEqual([]);
      await page.getByRole('button', { name: word(common.submit), exact: true }).click();
      const notice = page.getByRole('status').filter({ hasText: word(words.tokenOnce) });
      const token = (await notice.locator('.mono').last().textContent()) ?? '';
      expect(await problemsOf(page, `the token of an agent (${language})`)).toEqual([]);

      const args = { host: 'elsewhere', command: 'df -h' };
      expect((await callTool(server.url, token, args)).text).toContain('"state":"refused"');
      await page.getByRole('cell', { name: 'elsewhere' }).waitFor();
      expect(await problemsOf(page, `the calls of an agent (${language})`)).toEqual([]);

      await notice.getByRole('button', { name: word(words.done), exact: true }).click();
      await notice.waitFor({ state: 'detached' });
      await page.getByRole('button', { name: word(words.end), exact: true }).click();
      const question = page.getByRole('dialog');
      await question.getByRole('button', { name: word(words.end), exact: true }).click();
      await question.waitFor({ state: 'detached' });
      await page
        .getByRole('button', { name: word(words.end), exact: true })
        .waitFor({ state: 'detached' });
      expect((await callTool(server.url, token, args)).status).toBe(401);
    }
  },
);

/** Receives the answers for a program on this machine. */
async function startProgram() {
  const answers: URL[] = [];
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '', 'http://127.0.0.1');
    if (url.pathname === '/callback') answers.push(url);
    response.end('<title>program</title>');
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    redirect: `http://127.0.0.1:${address.port}/callback`,
    answers,
    stop: () => new Promise<void>((done) => server.close(() => done())),
  };
}

/** Returns the address that a program opens in the browser of its user. */
async function signInAddress(server: string, redirect: string): Promise<string> {
  const registered = await fetch(new URL('/oauth/register', server), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ client_name: 'Helper program', redirect_uris: [redirect] }),
  });
  const { client_id: client } = (await registered.json()) as { client_id: string };
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: client,
    redirect_uri: redirect,
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    code_challenge_method: 'S256',
    state: 'abc',
  });
  return `${new URL('/oauth/authorize', server)}?${query}`;
}

for (const language of ['en', 'zh'] as const)
  journey(
    `shows a program that asks with its leash in words, and takes the decision back to it (${language})`,
    async (open, { admin, server }) => {
      const person = await buildPerson(admin);
      const program = await startProgram();
      const visitor = await open({ language });
      const { page } = visitor;
      const view = new ConsolePage(visitor);
      const word = (text: Parameters<typeof say>[0]) => say(text, language);
      const button = (text: Parameters<typeof say>[0]) =>
        page.getByRole('button', { name: word(text), exact: true });
      await signIn(visitor, person, '/ui/');
      if (language === 'zh') await page.setViewportSize({ width: 390, height: 800 });
      await page.goto(await signInAddress(server.url, program.redirect));
      await page.getByText('Helper program').first().waitFor();
      expect(await problemsOf(page, `the decision about a program (${language})`)).toEqual([]);
      const [deny, allow] = await Promise.all([
        button(words.deny).boundingBox(),
        button(words.allow).boundingBox(),
      ]);
      expect(deny?.x).toBeLessThan(allow?.x ?? 0);
      await button(words.deny).click();
      await page.waitForURL(/error=access_denied/);

      await page.goto(await signInAddress(server.url, program.redirect));
      for (const [name, value] of [
        ['task', 'Look at the disks'],
        ['hosts', 'web-*\ndb-1'],
        ['accounts', 'deploy'],
        ['commands', 'df -h'],
        ['password', person.password],
      ] as const)
        await view.field(agent.fields[name].label).fill(value);
      const told = say(words.mayHosts, language, { hosts: 'web-*, db-1', accounts: 'deploy' });
      await page.getByText(told).waitFor();
      await button(words.allow).click();
      await page.waitForURL(/code=/);
      expect(program.answers.map(({ searchParams }) => searchParams.get('state'))).toEqual([
        'abc',
        'abc',
      ]);
      await program.stop();
    },
  );
