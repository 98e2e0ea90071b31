import { expect } from 'vitest';
import { freePort } from '../../server/src/gateway/testing/free-port.ts';
import type { Client, Json } from '../../server/src/testing/client.ts';
import { until } from '../../server/src/testing/poll.ts';
import { words as jobs } from '../../web/src/console/features/jobs/words.ts';
import { words as tasks } from '../../web/src/console/features/ops/tasks/words.ts';
import { problemsOf } from '../harness/axe.ts';
import { buildAsset } from '../harness/build.ts';
import { useOwnServer } from '../harness/journey.ts';
import { languageOfFile } from '../harness/language.ts';
import { ADMIN } from '../harness/server.ts';
import { ConsolePage } from '../pages/console-page.ts';
import { signIn } from '../pages/sign-in-page.ts';

const language = languageOfFile(import.meta.url);
const { journey } = useOwnServer();

/** Tests the connection of a new server that does not answer. Returns its job and its name. */
async function failedTest(admin: Client) {
  const dead = await buildAsset(admin, { host: '127.0.0.1', port: await freePort() });
  const { body } = await admin.post<{ task: string }>(`assets/assets/${dead.id}/tasks/`, {
    action: 'test',
  });
  const job = async () => (await admin.get<Json>(`common/jobs/${body.task}/`)).body;
  await until(async () => (await job()).date_finished !== null, 'the test ends');
  return { id: body.task, outcome: String((await job()).outcome), name: dead.name };
}

journey(
  'opens each old address of jobs in one place with its tab, and counts the rows of each tab',
  async (open, { admin }) => {
    const { name } = await failedTest(admin);
    const [task] = (await admin.get<Json[]>('ops/tasks/')).body;
    const visitor = await open({ language });
    const view = new ConsolePage(visitor);
    const { page } = visitor;
    await signIn(visitor, ADMIN, '/ui/jobs/jobs');
    const tab = (label: { readonly zh: string; readonly en: string }, count: string) =>
      page.getByRole('tab', { name: new RegExp(`^${view.say(label)}\\s*${count}$`) });
    const isOpen = async (label: { readonly zh: string; readonly en: string }, count: string) => {
      await tab(label, count).waitFor();
      await until(
        async () => (await tab(label, count).getAttribute('aria-selected')) === 'true',
        'the tab is open',
      );
    };
    await isOpen(jobs.all, '\\d+');
    await view.row(name).waitFor();
    expect(await problemsOf(page, 'all jobs')).toEqual([]);

    await page.goto('/ui/ops/task/monitor');
    await tab(jobs.all, '\\d+').click();
    await page.waitForURL((url) => url.pathname === '/ui/jobs/jobs');
    await isOpen(jobs.all, '\\d+');
    await page.goto('/ui/ops/task/monitor');
    await isOpen(jobs.running, '0');
    await page.getByText(view.say(jobs.nothingRuns)).waitFor();
    await page.getByRole('region', { name: view.say(jobs.servers) }).waitFor();
    expect(await problemsOf(page, 'running jobs')).toEqual([]);

    await page.goto('/ui/ops/tasks');
    await isOpen(jobs.scheduled, '0');
    await page.getByText(view.say(tasks.noSchedule)).waitFor();
    await page.getByRole('button', { name: view.say(tasks.showAll) }).click();
    await view.row(name).waitFor();
    expect(await problemsOf(page, 'scheduled jobs')).toEqual([]);
    expect(
      (await admin.patch(`ops/tasks/${task?.id}/`, { is_periodic: true, interval: 24 })).status,
    ).toBe(200);
    await page.goto('/ui/ops/tasks');
    await isOpen(jobs.scheduled, '1');
    await view.row(name).waitFor();
  },
);
