import { changeAuthPlan, WORK_STATES } from '@sallyport/contract';
import { expect } from 'vitest';
import type { Client, Json } from '../../server/src/testing/client.ts';
import { freePort } from '../../server/src/testing/free-port.ts';
import { until } from '../../server/src/testing/poll.ts';
import { words as assetWords } from '../../web/src/console/features/assets/list/words.ts';
import { words as plan } from '../../web/src/console/features/change-auth/words.ts';
import { words as jobs } from '../../web/src/console/features/jobs/words.ts';
import { words as tasks } from '../../web/src/console/features/ops/tasks/words.ts';
import { words as batch } from '../../web/src/console/features/ops/words.ts';
import { words as report } from '../../web/src/console/resource/job/words.ts';
import { words as listWords } from '../../web/src/console/resource/list/words.ts';
import { problemsOf } from '../harness/axe.ts';
import { buildAsset, buildSystemUser, create, unique } from '../harness/build.ts';
import { useOwnServer } from '../harness/journey.ts';
import { languageOfFile } from '../harness/language.ts';
import { addLicense } from '../harness/license.ts';
import { ADMIN } from '../harness/server.ts';
import { ConsolePage } from '../pages/console-page.ts';
import { signIn } from '../pages/sign-in-page.ts';

const language = languageOfFile(import.meta.url);
const { journey } = useOwnServer();

/** Tests the connection of a new server that does not answer. Returns its job and its name. */
async function failedTest(admin: Client) {
  const dead = await buildAsset(admin, { host: '127.0.0.1', port: await freePort() });
  const keeper = { name: unique('keeper'), username: 'root', password: 'unused 1' };
  const adminUser = await create(admin, 'assets/admin-users/', keeper);
  await admin.patch(`assets/assets/${dead.id}/`, { admin_user: adminUser });
  const { body } = await admin.post<{ task: string }>(`assets/assets/${dead.id}/tasks/`, {
    action: 'test',
  });
  const job = async () => (await admin.get<Json>(`common/jobs/${body.task}/`)).body;
  await until(async () => (await job()).date_finished !== null, 'the test ends');
  return { id: body.task, name: dead.name };
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
    await isOpen(jobs.running, '');
    await page.getByText(view.say(jobs.nothingRuns)).waitFor();
    await page.getByRole('region', { name: view.say(jobs.servers) }).waitFor();
    expect(await problemsOf(page, 'running jobs')).toEqual([]);

    await page.goto('/ui/ops/tasks');
    await isOpen(jobs.scheduled, '');
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

journey(
  'shows the result of a job first, then reasons with their fix, the hosts and the folded log',
  async (open, { admin }) => {
    const { id, name } = await failedTest(admin);
    const visitor = await open({ language });
    const view = new ConsolePage(visitor);
    const { page } = visitor;
    await signIn(visitor, ADMIN, `/ui/jobs/jobs/${id}`);
    await page
      .getByRole('status')
      .filter({ hasText: view.say(WORK_STATES.failed) })
      .getByText(view.say(report.allFailed, { count: 1 }))
      .waitFor();
    await page
      .getByRole('region', { name: view.say(report.reasons) })
      .getByText(name)
      .waitFor();
    await view.row(name).getByText(view.say(WORK_STATES.failed)).waitFor();
    const log = page.getByRole('button', { name: view.say(report.log) });
    expect(await log.getAttribute('aria-expanded')).toBe('false');
    expect(await problemsOf(page, 'a failed job')).toEqual([]);
    await log.click();
    await page.getByRole('log').getByText(name).first().waitFor();
    const again = page.getByRole('button', { name: view.say(tasks.retryFailed, { count: 1 }) });
    await again.click();
    await page.waitForURL((url) => !url.pathname.endsWith(id));
    await page
      .getByRole('status')
      .filter({ hasText: view.say(WORK_STATES.failed) })
      .waitFor();

    await page.goto(`/ui/ops/executions/${id}`);
    await view.row(name).waitFor();
    expect(await problemsOf(page, 'a run of a task', ['light'])).toEqual([]);
  },
);

journey(
  'chooses the servers of a batch command by label, range and from the list of assets',
  async (open, { admin, sshd }) => {
    const me = (await admin.get<Json>('users/profile/')).body;
    const account = await buildSystemUser(admin, sshd);
    const assets = [];
    for (let count = 0; count < 3; count += 1) assets.push(await buildAsset(admin, sshd));
    await create(admin, 'perms/asset-permissions/', {
      name: unique('batch'),
      users: [me.id],
      assets: assets.map(({ id }) => id),
      system_users: [account.id],
    });
    const value = unique('fleet');
    const ids = assets.map(({ id }) => id);
    await create(admin, 'assets/labels/', { name: 'env', value, assets: ids });

    const visitor = await open({ language });
    const view = new ConsolePage(visitor);
    const { page } = visitor;
    const selected = () => page.getByText(view.say(batch.selected, { count: 3 })).waitFor();
    await signIn(visitor, ADMIN, '/ui/ops/command-executions/create');
    await page.getByRole('searchbox').fill(`env:${value}`);
    await page.getByRole('checkbox', { name: view.say(batch.selectFound, { count: 3 }) }).check();
    await selected();
    expect(await problemsOf(page, 'found servers')).toEqual([]);
    await page.getByRole('button', { name: view.say(batch.clear) }).click();
    const boxes = page.getByRole('checkbox', { name: /server-/ });
    await boxes.first().click();
    await boxes.nth(2).click({ modifiers: ['Shift'] });
    await selected();

    await page.goto(`/ui/assets/assets?label=env:${value}`);
    for (const { name } of assets) await view.row(name).getByRole('checkbox').check();
    await page
      .getByRole('button', { name: view.say(assetWords.runCommand) })
      .first()
      .click();
    await page.waitForURL((url) => url.pathname === '/ui/ops/command-executions/create');
    await selected();

    await page.getByRole('textbox', { name: view.say(batch.command) }).fill('echo same');
    await page.getByRole('checkbox', { name: view.say(batch.stepByStep) }).check();
    await page.getByRole('button', { name: view.say(batch.run), exact: true }).click();
    const dialog = page.getByRole('dialog', { name: view.say(batch.runTitle) });
    await dialog.getByText(view.say(batch.runStages, { sizes: '1 + 1 + 1', limit: 0 })).waitFor();
    await dialog.getByRole('button', { name: view.say(batch.run) }).click();
    await page.getByText(view.say(batch.finishedOf, { done: 3, total: 3 })).waitFor();
    const stages = page.getByRole('list', { name: view.say(batch.stages) }).getByRole('listitem');
    expect(await stages.filter({ hasText: view.say(WORK_STATES.succeeded) }).count()).toBe(3);
    await page
      .getByRole('radiogroup', { name: view.say(batch.view) })
      .getByText(view.say(batch.merged))
      .click();
    await page
      .getByRole('log')
      .getByText(view.say(batch.serverCount, { count: 3 }))
      .waitFor();
    expect(await page.getByRole('log').getByText('same').count()).toBe(1);
    expect(await problemsOf(page, 'equal outputs')).toEqual([]);
  },
);

journey(
  'labels, tests, grants and rotates the selected assets from their bar',
  async (open, { admin, server }) => {
    await addLicense(server, admin);
    const keeper = { name: unique('keeper'), username: unique('root'), password: 'unused 1' };
    const adminUser = await create(admin, 'assets/admin-users/', keeper);
    const port = await freePort();
    const addAsset = () =>
      buildAsset(admin, { host: '127.0.0.1', port }, { admin_user: adminUser });
    const assets = [await addAsset(), await addAsset()];
    const label = unique('rack');
    const other = unique('zone');
    const [one] = assets;
    await create(admin, 'assets/labels/', { name: 'at', value: other, assets: [one?.id] });
    await create(admin, 'assets/labels/', { name: 'at', value: label, assets: [] });

    const visitor = await open({ language });
    const view = new ConsolePage(visitor);
    const { page } = visitor;
    const bar = page.getByRole('region', { name: view.say(listWords.selection) });
    const act = async (text: { readonly zh: string; readonly en: string }) => {
      await page.goto('/ui/assets/assets');
      for (const { name } of assets) await view.row(name).getByRole('checkbox').check();
      await bar.getByRole('button', { name: view.say(text), exact: true }).click();
    };
    await signIn(visitor, ADMIN, '/ui/assets/assets');
    await act(assetWords.label);
    expect(await problemsOf(page, 'the selection bar', ['light'])).toEqual([]);
    const buttons = await bar.getByRole('button').allTextContents();
    expect(buttons.at(-1)).toBe(view.say(listWords.deleteSelected));
    const dialog = page.getByRole('dialog', {
      name: view.say(assetWords.labelTitle, { count: 2 }),
    });
    await dialog.getByRole('textbox').or(dialog.getByRole('combobox')).first().fill(label);
    await page.getByRole('option', { name: label }).first().click();
    expect(await problemsOf(page, 'labels of the selected assets')).toEqual([]);
    await dialog.getByRole('button', { name: view.say(assetWords.labelAdd) }).click();
    await view.notified(assetWords.labeled);
    const labeled = async (value: string) =>
      (await admin.get<Json[]>(`assets/assets/?label=at:${value}`)).body.length;
    expect([await labeled(label), await labeled(other)]).toEqual([2, 1]);

    await act(assetWords.test);
    await page
      .getByRole('status')
      .getByText(view.say(report.allFailed, { count: 2 }))
      .waitFor();

    await act(assetWords.grant);
    await page.waitForURL((url) => url.pathname === '/ui/perms/asset-permissions/create');
    for (const { name } of assets) await view.main.getByText(name).first().waitFor();

    await act(assetWords.rotate);
    const check = page.getByRole('region', { name: view.say(plan.check) });
    await view.field(changeAuthPlan.fields.username.label).fill(keeper.username);
    await page.getByRole('option', { name: keeper.username }).click();
    // The last test of both failed.
    await check.getByText(view.say(plan.someReady, { count: 2, ready: 0 })).waitFor();
    expect(await problemsOf(page, 'a checked plan')).toEqual([]);
    await view.submit();
    const question = page.getByRole('dialog', { name: view.say(plan.askTitle) });
    await question.getByRole('button', { name: view.say(plan.execute) }).click();
    await page.waitForURL((url) => url.pathname.startsWith('/ui/jobs/jobs/'));
    await page
      .getByRole('status')
      .getByText(view.say(report.allFailed, { count: 2 }))
      .waitFor();
    const [stored] = (
      await admin.get<Json[]>(`xpack/change-auth-plan/plan/?search=${keeper.username}`)
    ).body;
    expect(stored).toMatchObject({ is_periodic: false, run_times: 1 });
  },
);
