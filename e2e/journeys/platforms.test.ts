import { asset, platform, type ResourceMetadata, terminal } from '@sallyport/contract';
import type { Locator } from 'playwright-core';
import { expect } from 'vitest';
import { words as assets } from '../../web/src/console/features/assets/words.ts';
import { words as terminals } from '../../web/src/console/features/storages/words.ts';
import { words as forms } from '../../web/src/console/resource/form/words.ts';
import { common } from '../../web/src/kit/i18n/common.ts';
import { atRest } from '../harness/at-rest.ts';
import { problemsOf } from '../harness/axe.ts';
import { unique } from '../harness/build.ts';
import { useOwnServer } from '../harness/journey.ts';
import { ADMIN } from '../harness/server.ts';
import { ConsolePage } from '../pages/console-page.ts';
import { signIn } from '../pages/sign-in-page.ts';

// A retired server accepts no sessions of other journeys.
const { journey } = useOwnServer();

journey(
  'creates, shows, changes, chooses and deletes a platform on its pages, and protects the internal ones',
  async (open) => {
    const name = unique('windows');
    const visitor = await open({ language: 'en' });
    const { page } = visitor;
    const view = new ConsolePage(visitor);
    await signIn(visitor, ADMIN, '/ui/dashboard');
    await view.open('Platforms');
    await view.row(/^Linux/).waitFor();
    // Impossible actions give a reason: to the mouse, to a screen reader, and when pressed.
    const reason = view.say(assets.internalPlatform);
    for (const action of [common.update, common.delete]) {
      const button = view
        .row(/^Linux/)
        .getByRole('button', { name: view.say(action), description: reason });
      expect(await button.isDisabled()).toBe(true);
    }
    await view
      .row(/^Linux/)
      .getByRole('button', { name: view.say(common.delete) })
      .click({ force: true });
    await view.notified(assets.internalPlatform);
    await view
      .row(/^Linux/)
      .getByRole('link', { name: 'Linux', exact: true })
      .click();
    await view.heading.filter({ hasText: 'Linux' }).waitFor();
    for (const action of [common.update, common.delete])
      expect(await view.button(action).getAttribute('title')).toBe(reason);
    await view.open('Platforms');
    await view.row(/^Linux/).waitFor();

    await view.link(common.create).click();
    await view.field(platform.fields.name.label).fill('no spaces allowed');
    await view.submit();
    // Its shape is checked here: nothing was sent.
    await view.main.getByText('letters').waitFor();
    await view.field(platform.fields.name.label).fill(name);
    const security = view.main.getByText('RDP security', { exact: true });
    expect(await security.count()).toBe(0);
    await view.field(platform.fields.base.label).click();
    await page.getByRole('option', { name: 'Windows', exact: true }).click();
    await security.waitFor();
    await view.main.getByRole('radio', { name: 'NLA' }).check();
    await view.submit();
    await view.notified(common.createSuccess);

    // The message names and links the new object; the page of the form is closed.
    await view.row(name).waitFor();
    await view.tabs.getByRole('link', { name: /create/i }).waitFor({ state: 'detached' });
    await page
      .getByRole('alert')
      .filter({ hasText: name })
      .getByRole('button', { name: 'Open', exact: true })
      .click();
    await view.main.getByText('RDP security: NLA').waitFor();
    await view.heading.filter({ hasText: name }).waitFor();
    await view.button(common.update).click();
    expect(await view.main.getByRole('radio', { name: 'NLA' }).isChecked()).toBe(true);
    await view.field(platform.fields.comment.label).fill('changed');
    await view.main.getByRole('switch', { name: view.say(platform.fields.old_ssh.label) }).check();
    await view.submit();
    await view.notified(common.updateSuccess);
    await view.row(name).getByText('changed').waitFor();

    await page.goto('/ui/assets/assets/create');
    await view.choose(asset.fields.platform.label, name);

    await page.goto('/ui/assets/platforms');
    await view
      .row(name)
      .getByRole('button', { name: view.say(common.delete) })
      .click();
    await view.dialog.getByRole('button', { name: view.say(common.delete), exact: true }).click();
    await view.row(name).waitFor({ state: 'detached' });
  },
);

journey(
  'lists the running server as a terminal that a super administrator renames, retires and reactivates',
  async (open) => {
    const name = unique('bastion');
    const visitor = await open({ language: 'en' });
    const view = new ConsolePage(visitor);
    await signIn(visitor, ADMIN, '/ui/dashboard');
    await view.open('Terminals');
    // The database may list another server; the running one is alive.
    const running = view.rows.filter({ hasText: view.say(common.yes) });
    await running.waitFor();
    expect(await view.link(common.create).count()).toBe(0);
    const choose = async (row: Locator, name: string) => {
      await row.getByRole('button', { name: new RegExp(view.say(common.more)) }).click();
      return visitor.page.getByRole('menuitem', { name, exact: true });
    };
    // The running server cannot be removed, and the page gives the reason.
    await (
      await choose(running, `${view.say(common.delete)} ${view.say(terminals.runs)}`)
    ).waitFor();
    await visitor.page.keyboard.press('Escape');
    await running.getByRole('link').first().click();
    await view.main.getByText(view.say(terminal.fields.http_port.label)).first().waitFor();
    await view.button(common.update).click();
    await view.field(terminal.fields.name.label).fill(name);
    await view.submit();
    await view.notified(common.updateSuccess);
    await view.row(name).waitFor();
    await (await choose(view.row(name), view.say(terminals.retire))).click();
    await view.dialog
      .getByRole('button', { name: view.say(terminals.retire), exact: true })
      .click();
    await view.notified(terminals.retired);
    await (await choose(view.row(name), view.say(terminals.use))).click();
    await (await choose(view.row(name), view.say(terminals.retire))).waitFor();
  },
);

journey(
  'draws a form at once, asks for its fields once, and offers a reload when the server has others',
  async (open) => {
    const visitor = await open({ language: 'en' });
    const { page } = visitor;
    const view = new ConsolePage(visitor);
    await signIn(visitor, ADMIN, '/ui/assets/platforms');
    await view.row(/^Linux/).waitFor();
    await atRest(page);
    const described: string[] = [];
    page.on('request', (request) => {
      if (request.method() === 'OPTIONS') described.push(new URL(request.url()).pathname);
    });
    const held = Promise.withResolvers<void>();
    const METADATA = '**/api/v1/assets/platforms/';
    await page.route(METADATA, async (route) => {
      if (route.request().method() !== 'OPTIONS') return route.fallback();
      await held.promise;
      const answer = await route.fetch();
      const body = (await answer.json()) as ResourceMetadata;
      const { name, ...fields } = body.actions?.POST ?? {};
      const changed = { ...fields, name: { ...name, max_length: 7 } };
      await route.fulfill({
        response: answer,
        json: { ...body, actions: { POST: changed, PUT: changed } },
      });
    });
    await view.link(common.create).click();
    // The form is usable while the server has not described its fields.
    await view.field(platform.fields.name.label).fill('typed');
    await expect.poll(() => described).toEqual(['/api/v1/assets/platforms/']);
    held.resolve();
    const strip = view.main.getByRole('status').filter({ hasText: view.say(forms.outdated) });
    await strip.waitFor();
    expect(await view.field(platform.fields.name.label).inputValue()).toBe('typed');
    expect(await problemsOf(page, 'form of an earlier version')).toEqual([]);
    await view.field(platform.fields.name.label).fill('');
    await page.unroute(METADATA);
    described.length = 0;
    await Promise.all([
      page.waitForEvent('load'),
      strip.getByRole('button', { name: view.say(common.reload), exact: true }).click(),
    ]);
    await view.field(platform.fields.name.label).waitFor();
    await expect.poll(() => described).toEqual(['/api/v1/assets/platforms/']);
    await atRest(page);
    expect(await strip.count()).toBe(0);

    // Once per page load, and never for a list.
    await view.open('Platforms');
    await view.link(common.create).click();
    await view.field(platform.fields.name.label).waitFor();
    await atRest(page);
    expect(described).toEqual(['/api/v1/assets/platforms/']);
  },
);
