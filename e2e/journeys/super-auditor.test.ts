import { SETTING_CATEGORIES } from '@sallyport/contract';
import { expect } from 'vitest';
import { words as jobs } from '../../web/src/console/features/jobs/words.ts';
import { words as settings } from '../../web/src/console/features/settings/words.ts';
import { common } from '../../web/src/kit/i18n/common.ts';
import { atRest } from '../harness/at-rest.ts';
import { problemsOf } from '../harness/axe.ts';
import { buildPerson, unique } from '../harness/build.ts';
import { useOwnServer } from '../harness/journey.ts';
import { addLicense } from '../harness/license.ts';
import { ConsolePage } from '../pages/console-page.ts';
import { signIn } from '../pages/sign-in-page.ts';

// A license concerns the whole server.
const { journey } = useOwnServer();

/** The pages of super administrators, as the menu names them. */
const PAGES = ['assets/platforms', 'terminal/terminal', 'terminal/storages'];

journey(
  'shows a super auditor the pages of super administrators, and refuses every change with the reason',
  async (open, { admin, server }) => {
    await addLicense(server, admin);
    const person = await buildPerson(admin, { role: 'Auditor' });
    const name = unique('readable');
    const platform = await admin.post<{ id: string }>('assets/platforms/', { name, base: 'Linux' });
    expect(platform.status).toBe(201);
    const visitor = await open({ language: 'en' });
    const { page } = visitor;
    const view = new ConsolePage(visitor);
    const reason = view.say(common.superAdministratorsChange);
    await signIn(visitor, person, '/ui/');
    await view.heading.waitFor();
    const linked = async (path: string) =>
      (await view.menu.locator(`a[href="/ui/${path}"]`).count()) > 0;
    for (const path of [...PAGES, 'terminal/command-storages', 'jobs/jobs', 'settings'])
      expect([path, await linked(path)]).toEqual([path, true]);

    // Lists: each act is disabled, and says why to a mouse, a screen reader and a press.
    const writes: string[] = [];
    page.on('request', (request) => {
      if (!['GET', 'HEAD', 'OPTIONS'].includes(request.method())) writes.push(request.url());
    });
    for (const path of PAGES) {
      await page.goto(`/ui/${path}`);
      await view.main.getByRole('row').nth(1).waitFor();
      const row = view.main.getByRole('row').nth(1);
      const acts = row.getByRole('button', { description: reason });
      await acts.first().waitFor();
      for (const act of await acts.all()) expect(await act.isDisabled()).toBe(true);
      expect(await row.getByRole('button', { disabled: false }).count()).toBeLessThanOrEqual(1);
      await acts.first().click({ force: true });
      await view.notified(common.superAdministratorsChange);
      expect(await problemsOf(page, path)).toEqual([]);
    }
    await page.goto('/ui/assets/platforms');
    await view.row(name).waitFor();
    expect(
      await view.main
        .getByRole('button', { name: view.say(common.create), description: reason })
        .isDisabled(),
    ).toBe(true);
    await view.row(name).getByRole('link', { name, exact: true }).click();
    await view.heading.filter({ hasText: name }).waitFor();
    for (const act of [common.update, common.delete])
      expect(await view.button(act).getAttribute('title')).toBe(reason);
    for (const form of ['create', `${platform.body.id}/update`]) {
      await page.goto(`/ui/assets/platforms/${form}`);
      await page.waitForURL(/\/ui\/404$/);
    }

    // Settings: values without controls that change them.
    await page.goto('/ui/settings');
    await view.main.getByText(reason).first().waitFor();
    const site = view.field(SETTING_CATEGORIES.basic.fields.SITE_URL.label);
    await site.waitFor();
    expect(await site.isDisabled()).toBe(true);
    const save = view.main.getByRole('button', { name: view.say(common.submit), exact: true });
    await save.click({ force: true });
    await view.notified(common.superAdministratorsChange);
    for (const topic of [
      ...Object.values(SETTING_CATEGORIES).map(({ title }) => title),
      settings.interface,
      settings.license,
    ]) {
      await page.getByRole('tab', { name: view.say(topic), exact: true }).click();
      const panel = page.getByRole('tabpanel');
      await panel.getByRole('button').or(panel.getByRole('textbox')).first().waitFor();
      await atRest(page);
      const open = await panel
        .locator('input, textarea, select, button:not([aria-expanded])')
        .evaluateAll((controls) =>
          controls
            .filter(
              (one) =>
                !one.matches(':disabled, [aria-disabled="true"], [hidden], [type="hidden"]') &&
                one.checkVisibility(),
            )
            .map((one) => one.outerHTML.slice(0, 200)),
        );
      expect([view.say(topic), open]).toEqual([view.say(topic), []]);
    }
    expect(await problemsOf(page, 'settings for reading')).toEqual([]);

    await page.goto('/ui/ops/task/monitor');
    await view.main.getByRole('region', { name: view.say(jobs.servers), exact: true }).waitFor();
    expect(writes.filter((url) => !url.includes('/preferences/'))).toEqual([]);
  },
);
