import { ERRORS, type LocalText, user, userGroup } from '@sallyport/contract';
import { expect } from 'vitest';
import { words as users } from '../../web/src/console/features/users/words.ts';
import { words as detail } from '../../web/src/console/resource/detail/words.ts';
import { words as form } from '../../web/src/console/resource/form/words.ts';
import { COOKIES } from '../../web/src/kit/cookies.ts';
import { common } from '../../web/src/kit/i18n/common.ts';
import { buildPerson, unique } from '../harness/build.ts';
import { useOwnServer } from '../harness/journey.ts';
import { languageOfFile } from '../harness/language.ts';
import { addLicense } from '../harness/license.ts';
import { ADMIN } from '../harness/server.ts';
import { askSigned } from '../harness/signed.ts';
import { ConsolePage } from '../pages/console-page.ts';
import { signIn } from '../pages/sign-in-page.ts';

const language = languageOfFile(import.meta.url);

const { journey } = useOwnServer();
const PATIENCE = { timeout: 60_000 };

journey(
  'invites users into an organization by name, and removes them without losing their accounts',
  async (open, { admin, server }) => {
    await addLicense(server, admin);
    const [first, second] = [await buildPerson(admin), await buildPerson(admin)];
    const name = unique('branch');
    const { id } = (await admin.post<{ id: string }>('orgs/orgs/', { name })).body;

    const visitor = await open({ language });
    visitor.watch.allow(/^400 POST \/api\/v1\/users\/users\/invite\//);
    const view = new ConsolePage(visitor);
    const { url } = server;
    await visitor.context.addCookies([
      { name: COOKIES.organization, value: encodeURIComponent(JSON.stringify({ id, name })), url },
      { name: COOKIES.organizationHeader, value: id, url },
    ]);
    await signIn(visitor, ADMIN, '/ui/users/users');
    await view.button(users.invite).click();
    const accounts = view.dialog
      .getByLabel(new RegExp(`^${RegExp.escape(view.say(users.accounts))}`))
      .and(visitor.page.locator('input:not([type=hidden])'));
    const invite = async (...names: string[]) => {
      for (const account of names) {
        await accounts.fill(account);
        await accounts.press('Enter');
      }
      await view.dialog.getByRole('button', { name: view.say(users.invite), exact: true }).click();
    };
    const nobody = unique('nobody');
    // One who does not exist keeps all of them out, and is named.
    await invite(first.username, `${second.username}@example.com`, nobody);
    await view.dialog.getByText(new RegExp(`${nobody}: `)).waitFor();
    expect(
      (await admin.inOrganization(id).get<{ count: number }>('users/users/?limit=1')).body.count,
    ).toBe(0);
    await accounts.press('Backspace');
    await view.dialog.getByRole('radio', { name: view.say(users.asAuditor), exact: true }).check();
    await invite();
    await view.notified(users.invited);
    await view.row(first.name).waitFor();
    await view.row(second.name).waitFor();
    const { auditors, users: ordinary } = (
      await admin.get<{ auditors: string[]; users: string[] }>(`orgs/orgs/${id}/`)
    ).body;
    expect([auditors.toSorted(), ordinary]).toEqual([[first.id, second.id].toSorted(), []]);

    await view
      .row(first.name)
      .getByRole('button', { name: new RegExp(view.say(common.more)) })
      .click();
    await visitor.page
      .getByRole('menuitem', { name: view.say(common.remove), exact: true })
      .click();
    await view.dialog.getByRole('button', { name: view.say(common.remove), exact: true }).click();
    await view.notified(common.removeSuccess);
    await view.row(first.name).waitFor({ state: 'detached' });
    expect((await admin.inOrganization(id).get(`users/users/${first.id}/`)).status).toBe(404);
    expect((await admin.get(`users/users/${first.id}/`)).status).toBe(200);
  },
);

journey(
  'creates an account with its form, manages it on its page, and adds it to a group and removes it',
  async (open, { admin, server }) => {
    const { fields } = user;
    const username = unique('clerk');
    const account = { name: `Name of ${username}`, username, password: 'a first password 1' };
    const auditor = await buildPerson(admin, { role: 'Auditor' });
    const isLetIn = (password: string) =>
      server.signIn({ username, password }).then(
        () => true,
        () => false,
      );
    const visitor = await open({ language });
    const view = new ConsolePage(visitor);
    const { page } = visitor;
    const quick = (title: LocalText, button: LocalText) =>
      view.button(`${view.say(title)}: ${view.say(button)}`);
    await signIn(visitor, ADMIN, '/ui/users/users/create');
    // Defaults of the form: an ordinary user, valid for a hundred years, with a password when no
    // mail can be sent.
    const radio = (label: string) => view.main.getByRole('radio', { name: label, exact: true });
    const [byMail, byHand] = (fields.password_strategy.choices ?? []).map(({ label }) =>
      view.say(label),
    );
    await radio(byHand ?? '').waitFor();
    expect(await radio(byHand ?? '').isChecked()).toBe(true);
    expect(await radio(view.say({ zh: '用户', en: 'User' })).isChecked()).toBe(true);
    // Without a mail server no link can be mailed, and the form offers none.
    expect(await radio(byMail ?? '').count()).toBe(0);
    await view.field(fields.name.label).fill(account.name);
    await view.field(fields.username.label).fill(username);
    await view.field(fields.email.label).fill(`${username}@example.com`);
    await view.submit();
    await view.main.getByText(view.say(common.required)).waitFor();
    await view.field(fields.password.label).fill(account.password);
    await view.submit();
    await view.row(account.name).waitFor();
    expect(await isLetIn(account.password)).toBe(true);

    await view.row(account.name).getByRole('link', { name: account.name, exact: true }).click();
    await view.heading.getByText(account.name).waitFor();
    const active = view.main.getByRole('switch', { name: view.say(users.activate), exact: true });
    // While a change is on its way the switch takes no other.
    const isSwitched = (on: boolean) =>
      expect
        .poll(
          async () =>
            (await active.getAttribute('aria-busy')) === 'false' &&
            (await active.isChecked()) === on,
          PATIENCE,
        )
        .toBe(true);
    for (const on of [false, true]) {
      await active.click({ force: true });
      if (!on)
        await view.dialog
          .getByRole('button', { name: view.say(detail.disable), exact: true })
          .click();
      await isSwitched(on);
      expect(await isLetIn(account.password)).toBe(on);
    }

    for (let attempt = 0; attempt < 7; attempt += 1) await isLetIn('not the password');
    await page.reload();
    await quick(users.unblockLogin, users.unblock).click();
    await expect.poll(() => isLetIn(account.password), PATIENCE).toBe(true);
    await quick(users.setPassword, users.set).click();
    await view.dialog
      .getByLabel(new RegExp(`^${view.say(users.newPassword)}`))
      .fill('a second password 2');
    await view.dialog
      .getByRole('button', { name: view.say(users.setPassword), exact: true })
      .click();
    await view.dialog.waitFor({ state: 'detached' });
    expect([await isLetIn(account.password), await isLetIn('a second password 2')]).toEqual([
      false,
      true,
    ]);

    const group = unique('group');
    await page.goto('/ui/users/groups/create');
    await view.field(userGroup.fields.name.label).fill(group);
    const members = view
      .field(userGroup.fields.users.label)
      .and(page.getByRole('textbox').or(page.getByRole('combobox')));
    await members.fill(auditor.username);
    await page.getByText(view.say(form.nothing)).waitFor();
    await view.choose(userGroup.fields.users.label, username);
    await view.submit();
    await view.row(group).getByRole('cell', { name: '1', exact: true }).waitFor();
    await view.row(group).getByRole('link', { name: group, exact: true }).click();
    const label = `${account.name}(${username})`;
    await view.button(view.say(form.removeItem, { name: label })).click();
    await view.dialog.getByRole('button', { name: view.say(common.remove), exact: true }).click();
    await view.notified(common.removeSuccess);
    await view.button(view.say(form.removeItem, { name: label })).waitFor({ state: 'detached' });

    // The own identity is changed on the profile page, and its fields say so.
    const { id } = (await admin.get<{ id: string }>('users/profile/')).body;
    await page.goto(`/ui/users/users/${id}/update`);
    await view.field(fields.email.label).waitFor();
    const elsewhere = view.say(ERRORS.own_account);
    for (const field of [fields.name.label, fields.email.label]) {
      expect([view.say(field), await view.field(field).isDisabled()]).toEqual([
        view.say(field),
        true,
      ]);
      expect(
        await view
          .field(field)
          .evaluate(
            (input) =>
              document.getElementById(input.getAttribute('aria-describedby') ?? '')?.textContent,
          ),
      ).toBe(elsewhere);
    }
    for (const field of [users.updatePassword, users.setPublicKey])
      expect(
        await view.main
          .getByRole('switch', { name: view.say(field) })
          .and(page.locator(':disabled'))
          .count(),
      ).toBe(1);
    expect(await view.field(fields.phone.label).isEnabled()).toBe(true);
  },
);

journey(
  'shows an administrator the access keys of a user with their last use, and revokes them',
  async (open, { admin, server }) => {
    const person = await buildPerson(admin);
    const own = await server.signIn(person);
    const create = async (name: string) => {
      const { status, body } = await own.post<{ id: string; secret: string }>(
        'authentication/access-keys/',
        { name, password: person.password },
      );
      expect(status).toBe(201);
      return body;
    };
    const [nightly, backup, report] = [
      await create('nightly export'),
      await create('backup'),
      await create('report'),
    ];
    const works = async ({ id, secret }: { id: string; secret: string }) =>
      (await askSigned(server.url, id, secret)).status === 200;
    expect(await works(nightly)).toBe(true);

    const visitor = await open({ language });
    const view = new ConsolePage(visitor);
    await signIn(visitor, ADMIN, `/ui/users/users/${person.id}`);
    await view.heading.filter({ hasText: person.name }).waitFor();
    await view.main.getByRole('tab', { name: view.say(detail.security), exact: true }).click();
    await view.main.getByRole('tab', { name: view.say(users.accessKeys), exact: true }).click();
    const entry = (name: string) => view.main.getByRole('listitem').filter({ hasText: name });
    await entry('nightly export').getByText('127.0.0.1').waitFor();
    await entry('backup')
      .getByText(new RegExp(RegExp.escape(view.say(users.keyNeverUsed))))
      .waitFor();
    const confirm = () =>
      view.dialog.getByRole('button', { name: view.say(users.revoke), exact: true }).click();
    await view.button(`${view.say(users.revoke)}: nightly export`).click();
    await confirm();
    await entry('nightly export').waitFor({ state: 'detached' });
    expect([await works(nightly), await works(backup), await works(report)]).toEqual([
      false,
      true,
      true,
    ]);
    await view.button(users.revokeAll).click();
    await confirm();
    await view.main.getByText(view.say(users.noAccessKeys)).waitFor();
    expect([await works(backup), await works(report)]).toEqual([false, false]);
  },
);
