import { ERRORS, user } from '@sallyport/contract';
import { expect } from 'vitest';
import { words as frame } from '../../web/src/console/base/words.ts';
import { words as mfa } from '../../web/src/console/features/mfa/words.ts';
import { words as profile } from '../../web/src/console/features/profile/words.ts';
import { common } from '../../web/src/kit/i18n/common.ts';
import { buildPerson } from '../harness/build.ts';
import { useStage } from '../harness/journey.ts';
import { languageOfFile } from '../harness/language.ts';
import { withoutNews } from '../harness/news.ts';
import { askSigned } from '../harness/signed.ts';
import { ConsolePage } from '../pages/console-page.ts';
import { identityPage } from '../pages/identity-page.ts';
import { signIn } from '../pages/sign-in-page.ts';

const language = languageOfFile(import.meta.url);

const { journey } = useStage();
const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

const SSH_KEY = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIL/0tFxgfHq6M8tTSqUXHfWQuzChxBY6vPmF9XWMY2Q4';

journey(
  'creates an access key in its dialog, signs a request with it, disables it and deletes it',
  async (open, { admin, server }) => {
    const person = await buildPerson(admin);
    const visitor = await open({ language });
    const view = new ConsolePage(visitor);
    const { page } = visitor;
    await signIn(visitor, person, '/ui/');
    await page.getByRole('button', { name: `${view.say(frame.account)}: ` }).click();
    await page.getByRole('menuitem', { name: view.say(frame.accessKeys), exact: true }).click();
    await expect
      .poll(async () => ((await view.dialog.boundingBox())?.width ?? 0) / 1440)
      .toBeCloseTo(0.6, 2);

    await view.dialog
      .getByRole('button', { name: view.say(common.create), exact: true })
      .first()
      .click();
    const proof = page
      .getByRole('dialog')
      .filter({ hasText: view.say(mfa.confirmTitle) })
      .last();
    await proof.getByLabel(view.say(mfa.password), { exact: true }).fill(person.password);
    await proof.getByRole('button', { name: view.say(mfa.proceed), exact: true }).click();
    await proof.waitFor({ state: 'detached' });
    const text = await view.dialog
      .first()
      .getByRole('status')
      .filter({ hasText: view.say(profile.secretOnce) })
      .textContent();
    const [id = '', secret = ''] = text?.match(UUID) ?? [];
    const answer = await askSigned(server.url, id, secret);
    expect([answer.status, (await answer.json()) as { username: string }]).toEqual([
      200,
      expect.objectContaining({ username: person.username }),
    ]);

    await view.dialog.getByRole('button', { name: view.say(profile.done), exact: true }).click();
    await expect.poll(() => view.dialog.textContent()).not.toContain(secret);
    const row = view.dialog.getByRole('row').filter({ hasText: id });
    await row.getByRole('button', { name: new RegExp(view.say(profile.turnOff)) }).click();
    await row.getByRole('button', { name: new RegExp(view.say(profile.turnOn)) }).waitFor();
    expect((await askSigned(server.url, id, secret)).status).toBe(401);
    await row.getByRole('button', { name: new RegExp(view.say(profile.turnOn)) }).click();
    await row.getByRole('button', { name: new RegExp(view.say(profile.turnOff)) }).waitFor();
    expect((await askSigned(server.url, id, secret)).status).toBe(200);

    await row.getByRole('button', { name: new RegExp(view.say(common.delete)) }).click();
    const question = page
      .getByRole('dialog')
      .filter({ hasText: `"${id}" ?` })
      .last();
    await question.getByRole('button', { name: view.say(common.delete), exact: true }).click();
    await row.waitFor({ state: 'detached' });
    expect((await askSigned(server.url, id, secret)).status).toBe(401);
  },
);

journey(
  'shows and ends a sign-in on another device from the profile page',
  async (open, { admin, server }) => {
    const person = await buildPerson(admin);
    const elsewhere = await server.signIn(person);
    const visitor = await open({ language: 'en' });
    const view = new ConsolePage(visitor);
    await signIn(visitor, person, '/ui/users/profile?activeTab=SignIns');
    await view.main.getByText(view.say(profile.current), { exact: true }).waitFor();
    const others = view.main.getByRole('button', {
      name: new RegExp(`^${view.say(profile.end)}: `),
    });
    // One of building the person, one of here.
    await expect.poll(() => others.count()).toBe(2);
    await view.button(profile.endOthers).click();
    await view.dialog.getByRole('button', { name: view.say(profile.end), exact: true }).click();
    await view.notified(profile.ended);
    expect((await elsewhere.get('users/profile/')).status).toBe(401);
    await expect.poll(() => others.count()).toBe(0);

    // The attempts are in the history.
    await visitor.page.goto('/ui/users/profile?activeTab=LoginHistory');
    await view.row('Success').first().waitFor();
  },
);

journey(
  'creates an SSH key after the password, downloads it once and shows its fingerprint',
  async (open, { admin }) => {
    const person = await buildPerson(admin);
    const visitor = await open({ language: 'zh' });
    const view = new ConsolePage(visitor);
    await signIn(visitor, person, '/ui/users/profile?activeTab=SSHUpdate');
    visitor.watch.allow(/^400 POST \/api\/v1\/users\/profile\/public-key\/generate\//);
    await view.button(profile.newPair).click();
    await view.dialog.getByRole('button', { name: view.say(profile.newPair), exact: true }).click();
    const identity = identityPage(visitor);
    // A wrong password is an error in the question itself, and no key is created.
    await identity.confirmByPassword('not the password');
    await identity.confirmation.getByText(view.say(ERRORS.password_wrong)).waitFor();
    const [file] = await Promise.all([
      visitor.page.waitForEvent('download'),
      identity.confirmByPassword(person.password),
    ]);
    expect(file.suggestedFilename()).toBe(`${person.username}-sallyport.pem`);
    await view.main.getByText(/^SHA256:/).waitFor();
  },
);

journey(
  'adds a named SSH key by keyboard after the password, names a wrong line, and deletes the key',
  async (open, { admin }) => {
    const person = await buildPerson(admin);
    const visitor = await open({ language: 'en' });
    const view = new ConsolePage(visitor);
    await signIn(visitor, person, '/ui/users/profile?activeTab=SSHUpdate');
    visitor.watch.allow(/^400 POST \/api\/v1\/authentication\/ssh-keys\//);
    const { page } = visitor;
    const line = page.getByLabel(view.say(profile.publicKey));
    await page.getByRole('textbox', { name: 'Name' }).fill('Laptop');
    await line.fill('ssh-ed25519 nonsense');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    const identity = identityPage(visitor);
    await identity.confirmByPassword(person.password);
    await page.getByText(view.say(ERRORS.not_public_key)).waitFor();
    await line.fill(`${SSH_KEY} laptop`);
    await view.button(profile.addSshKey).click();
    await identity.confirmByPassword(person.password);
    await view.row('Laptop').getByText('SHA256:').waitFor();
    await expect.poll(() => line.inputValue()).toBe('');
    await view.row('Laptop').getByText('Delete').click();
    await view.dialog.getByRole('button', { name: 'Delete' }).click();
    await expect.poll(() => view.row('Laptop').count()).toBe(0);
  },
);

journey(
  'shows failures with access keys, and keeps the list correct',
  async (open, { admin, server }) => {
    const person = await buildPerson(admin);
    const own = await server.signIn(person);
    const visitor = await open({ language: 'en' });
    visitor.watch.allow(/^404 (?:PATCH|DELETE) \/api\/v1\/authentication\/access-keys\//);
    const view = new ConsolePage(visitor);
    const keys: string[] = [];
    for (let count = 0; count < 2; count += 1)
      keys.push(
        (
          await own.post<{ id: string }>('authentication/access-keys/', {
            password: person.password,
          })
        ).body.id,
      );
    // Otherwise the page would receive their deletion as a live update.
    await withoutNews(visitor.page);
    await signIn(visitor, person, '/ui/users/profile?activeTab=AccessKeys');
    const [first = '', second = ''] = keys;
    await view.row(first).waitFor();
    // Gone behind the back of the page.
    for (const id of keys)
      expect((await own.delete(`authentication/access-keys/${id}/`)).status).toBe(204);

    await view
      .row(second)
      .getByRole('button', { name: new RegExp(view.say(common.delete)) })
      .click();
    await view.dialog.getByRole('button', { name: view.say(common.delete), exact: true }).click();
    await view.notified(common.deleteFailed);
    await view.dialog.getByRole('button', { name: view.say(common.cancel), exact: true }).click();
    await view
      .row(first)
      .getByRole('button', { name: new RegExp(view.say(profile.turnOff)) })
      .click();
    await view.notified(common.updateFailed);
    await view.row(first).waitFor({ state: 'detached' });
  },
);

journey(
  'lets administrators change their own name and address on the profile after their password',
  async (open, { admin, server }) => {
    const person = await buildPerson(admin, { role: 'Admin' });
    const visitor = await open({ language });
    visitor.watch.allow(/^400 PATCH \/api\/v1\/users\/profile\//);
    const view = new ConsolePage(visitor);
    const { confirmation, confirmByPassword } = identityPage(visitor);
    const stored = async () =>
      (await (await server.signIn(person)).get<{ name: string; email: string }>('users/profile/'))
        .body;
    const before = await stored();
    const name = `New name of ${person.username}`;
    const email = `new-${person.username}@example.com`;
    await signIn(visitor, person, '/ui/users/profile?activeTab=ProfileUpdate');
    // The general form shows where they are changed.
    await view.main.getByText(before.email, { exact: true }).waitFor();
    expect(await view.field(user.fields.email.label).count()).toBe(0);
    await view.main.getByText(view.say(profile.onIdentityTab)).first().waitFor();
    await view.main.getByRole('tab', { name: view.say(profile.identity), exact: true }).click();
    await view.field(user.fields.email.label).and(visitor.page.locator(':enabled')).waitFor();
    expect(await view.button(common.submit).isDisabled()).toBe(true);
    // Administrators of the installation change their own expiry as well, all but the first one.
    expect(
      await view
        .field(user.fields.date_expired.label)
        .and(view.main.getByRole('textbox'))
        .isEnabled(),
    ).toBe(true);
    await view.field(user.fields.name.label).fill(name);
    await view.field(user.fields.email.label).fill(email);
    await view.submit();
    await confirmByPassword('not the password');
    await confirmation.getByText(view.say(ERRORS.password_wrong)).waitFor();
    expect(await stored()).toMatchObject({ name: before.name, email: before.email });
    await confirmByPassword(person.password);
    await view.notified(common.updateSuccess);
    await confirmation.waitFor({ state: 'detached' });
    expect(await stored()).toMatchObject({ name, email });
  },
);

journey('tells ordinary users who changes their name, without a form', async (open, { admin }) => {
  const person = await buildPerson(admin);
  const visitor = await open({ language });
  const view = new ConsolePage(visitor);
  await signIn(visitor, person, '/ui/users/profile?activeTab=ProfileUpdate');
  await view.main.getByText(view.say(profile.byAdministrators)).first().waitFor();
  expect(
    await view.main.getByRole('tab', { name: view.say(profile.identity), exact: true }).count(),
  ).toBe(0);
});
