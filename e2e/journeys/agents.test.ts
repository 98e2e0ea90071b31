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
