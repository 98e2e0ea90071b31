import { assetPermission, databaseApp, databaseAppPermission } from '@sallyport/contract';
import { expect } from 'vitest';
import { words as access } from '../../web/src/console/features/access/words.ts';
import { words as apps } from '../../web/src/console/features/app-permissions/words.ts';
import { words as perms } from '../../web/src/console/features/perms/words.ts';
import { words as form } from '../../web/src/console/resource/form/words.ts';
import { words as tree } from '../../web/src/console/tree/dialogs/words.ts';
import { common } from '../../web/src/kit/i18n/common.ts';
import { buildAsset, buildPerson, buildSystemUser, unique } from '../harness/build.ts';
import { useStage } from '../harness/journey.ts';
import { ADMIN } from '../harness/server.ts';
import { ConsolePage } from '../pages/console-page.ts';
import { signIn } from '../pages/sign-in-page.ts';

const { journey } = useStage();

/** Longer than the form waits before it asks what follows, in milliseconds. */
const PREVIEW_PAUSE = 600;

journey(
  'creates a permission for a week without mistakes, and extends it by typing',
  async (open, { admin, sshd }) => {
    const [person, server, account] = await Promise.all([
      buildPerson(admin),
      buildAsset(admin, sshd),
      buildSystemUser(admin, sshd),
    ]);
    const visitor = await open({ language: 'en' });
    const { page } = visitor;
    const view = new ConsolePage(visitor);
    await signIn(visitor, ADMIN, '/ui/perms/asset-permissions/create');
    const name = unique('week');
    await view.field(assetPermission.fields.name.label).fill(name);
    await view.choose(assetPermission.fields.users.label, person.username);
    await view.choose(assetPermission.fields.assets.label, server.name);

    // The root of the tree is everything: it is offered last, and asks.
    const nodes = view.field(assetPermission.fields.nodes.label).and(page.getByRole('combobox'));
    await nodes.click();
    await page.getByRole('option').nth(-2).click();
    await view.dialog.getByText('all assets added later').waitFor();
    await view.dialog.getByRole('button', { name: view.say(common.cancel), exact: true }).click();
    await view.dialog.waitFor({ state: 'detached' });

    // So does the tree, which can be browsed instead.
    await nodes.click();
    await page.getByRole('option', { name: view.say(form.browseTree) }).click();
    await view.dialog.getByRole('treeitem').first().click();
    await view.dialog.getByText(view.say(tree.nodesChosen, { count: 1 })).waitFor();
    await view.dialog
      .getByRole('button', { name: view.say(tree.pickNodes, { count: 1 }), exact: true })
      .click();
    await view.dialog.getByText('all assets added later').waitFor();
    await view.dialog.getByRole('button', { name: view.say(common.cancel), exact: true }).click();
    await view.dialog.waitFor({ state: 'detached' });

    // Missing fields scroll into view, above the bar.
    await view.submit();
    const missing = view
      .field(assetPermission.fields.system_users.label)
      .and(page.getByRole('combobox'));
    await view.main.getByText(view.say(common.required), { exact: true }).waitFor();
    const isCovered = () =>
      missing.evaluate((element) => {
        const { left, top, width, height } = element.getBoundingClientRect();
        const above = document.elementFromPoint(left + width / 2, top + height / 2);
        return !(above && (element.contains(above) || above.contains(element)));
      });
    await expect.poll(isCovered).toBe(false);
    await view.choose(assetPermission.fields.system_users.label, account.name);

    // The form lists who gains access before it is saved.
    await page
      .getByRole('region', { name: view.say(access.whatIf) })
      .getByText(`${server.name} as ${account.name}`)
      .waitFor();

    const end = view
      .field(assetPermission.fields.date_expired.label)
      .and(page.getByRole('textbox'));
    expect(await end.inputValue()).toBe(view.say(common.never));
    await view.button('1 week').click();
    await view.main.getByText('in 7 days').waitFor();
    await view.submit();
    await view.notified(common.createSuccess);

    await view
      .row(name)
      .getByRole('button', { name: view.say(common.update) })
      .click();
    await view.heading.filter({ hasText: 'Edit' }).waitFor();
    await end.fill('some day');
    await end.blur();
    // With a wrong date the page requests no preview.
    await page.waitForTimeout(PREVIEW_PAUSE);
    await view.submit();
    expect(await end.inputValue()).toBe('some day');
    await expect.poll(() => end.getAttribute('aria-invalid')).toBe('true');
    await end.fill('+30d');
    await view.main.getByText('next month').or(view.main.getByText('in 30 days')).first().waitFor();
    await view.submit();
    await view.notified(common.updateSuccess);
  },
);

journey(
  'registers and permits a database, explains on its page who can use it, and lists it under My databases',
  async (open, { admin }) => {
    const person = await buildPerson(admin);
    const [name, account, rule] = [unique('ledger'), unique('readers'), unique('reports')];
    expect(
      (
        await admin.post('assets/system-users/', {
          name: account,
          protocol: 'postgresql',
          username: 'reader',
          login_mode: 'manual',
        })
      ).status,
    ).toBe(201);
    const visitor = await open({ language: 'en' });
    const { page } = visitor;
    const view = new ConsolePage(visitor);
    await signIn(visitor, ADMIN, '/ui/applications/database-apps/create');
    await view.field(databaseApp.fields.name.label).fill(name);
    await page.getByRole('radio', { name: 'PostgreSQL', exact: true }).check();
    await view.field(databaseApp.fields.host.label).fill('db.example.com');
    await view.submit();
    await view.notified(common.createSuccess);

    await page.goto('/ui/perms/database-app-permissions/create');
    await view.field(databaseAppPermission.fields.name.label).fill(rule);
    await view.choose(databaseAppPermission.fields.database_apps.label, name);
    await view.choose(databaseAppPermission.fields.system_users.label, account);
    // Without users it would grant nothing, so the form asks first.
    await view.submit();
    await view.dialog.getByText(view.say(perms.lacksUsers)).waitFor();
    await view.dialog.getByRole('button', { name: view.say(common.cancel), exact: true }).click();
    await view.dialog.waitFor({ state: 'detached' });
    await view.choose(databaseAppPermission.fields.users.label, person.username);
    await view.main.getByText(/(will reach|将获得)/).waitFor();
    await view.submit();
    await view.notified(common.createSuccess);
    await page.goto(`/ui/perms/database-app-permissions?search=${rule}`);
    await view.row(rule).getByRole('link', { name: rule }).click();
    await page.getByRole('tab', { name: view.say(apps.databases), exact: true }).click();
    await view.row(name).waitFor();

    await page.goto(`/ui/applications/database-apps?search=${name}`);
    await view.row(name).getByRole('link', { name }).click();
    // The port defaults to that of the database type.
    await view.main.getByText('5432', { exact: true }).waitFor();
    await page.getByRole('tab', { name: view.say(access.whoUsesTitle), exact: true }).click();
    await view.row(person.username).getByRole('link', { name: rule }).waitFor();

    const own = await open({ language: 'en' });
    const mine = new ConsolePage(own);
    await signIn(own, person, '/ui/apps/database');
    await mine
      .row(name)
      .getByRole('button', { name: mine.say(perms.showNames) })
      .click();
    await mine.row(name).getByText(account).waitFor();
    await mine
      .row(name)
      .getByRole('button', { name: `${mine.say(apps.mark)} ${name}`, exact: true })
      .click();
    await mine
      .row(name)
      .getByRole('button', { name: `${mine.say(apps.unmark)} ${name}`, exact: true })
      .waitFor();
    await own.page.goto('/ui/apps/database?favorite=1');
    await mine.row(name).waitFor();
    await own.page.keyboard.press('Control+k');
    await mine.dialog.getByRole('combobox').fill(name);
    await own.page.getByRole('option', { name }).first().click();
    await own.page.waitForURL(/apps\/database\?.*name=/);
    expect(await mine.main.getByRole('button', { name: 'Connect' }).count()).toBe(0);
  },
);
