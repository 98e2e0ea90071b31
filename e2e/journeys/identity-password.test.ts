import { describePasswordEnd } from '@sallyport/contract';
import pg from 'pg';
import { afterAll, beforeAll, expect } from 'vitest';
import {
  type Mailbox,
  startMailbox,
  tokenIn,
  useMailbox,
} from '../../server/src/testing/services/mailbox.ts';
import { words as profile } from '../../web/src/console/features/profile/words.ts';
import { words as users } from '../../web/src/console/features/users/words.ts';
import { common } from '../../web/src/kit/i18n/common.ts';
import { words as identity } from '../../web/src/kit/identity/words.ts';
import { words as frame } from '../../web/src/kit/page/words.ts';
import { words as passwordWords } from '../../web/src/signin/password/words.ts';
import { words as stepWords } from '../../web/src/signin/steps/words.ts';
import { words as signInWords } from '../../web/src/signin/words.ts';
import { problemsOf } from '../harness/axe.ts';
import { buildPerson, unique } from '../harness/build.ts';
import { useOwnServer } from '../harness/journey.ts';
import { languageOfFile } from '../harness/language.ts';
import { ADMIN } from '../harness/server.ts';
import { ConsolePage } from '../pages/console-page.ts';
import { identityPage } from '../pages/identity-page.ts';
import { signIn, signInPage } from '../pages/sign-in-page.ts';

const language = languageOfFile(import.meta.url);

const { journey, stage } = useOwnServer();

let mailbox: Mailbox;
beforeAll(async () => {
  mailbox = await startMailbox();
  await useMailbox(stage().admin, mailbox);
});
afterAll(() => mailbox.stop());

const NEW_PASSWORD = 'Chosen again 2 by mail';

journey(
  'replaces a forgotten password through a mailed link that works once',
  async (open, { admin }) => {
    const person = await buildPerson(admin);
    const visitor = await open({ language });
    visitor.watch.allow(/^400 POST \/core\/auth\/(login|password\/reset)\//);
    const { page } = visitor;
    const steps = identityPage(visitor);

    await page.goto('/core/auth/login/');
    await page.getByRole('link', { name: steps.say(signInWords.forgotten) }).click();
    await steps.field(passwordWords.email).fill(`${person.username}@example.com`);
    await steps.button(passwordWords.send).click();
    await steps.heading(passwordWords.sentTitle).waitFor();

    const token = tokenIn(await mailbox.next(`${person.username}@example.com`));
    const link = `/core/auth/password/reset/#token=${token}`;
    await page.goto(link);
    // A password against the rules changes nothing and does not use the link up.
    await steps.choosePassword('short', passwordWords.resetSubmit);
    await page
      .getByText(steps.say(identity.length, { min: 6 }))
      .first()
      .waitFor();
    await steps.choosePassword(NEW_PASSWORD, passwordWords.resetSubmit);
    await steps.heading(passwordWords.resetDone).waitFor();
    await page.getByRole('link', { name: steps.say(signInWords.submit), exact: true }).click();
    await signInPage(visitor).submit(person);
    await signInPage(visitor).alert.waitFor();
    await signInPage(visitor).submit({ username: person.username, password: NEW_PASSWORD });
    await page.waitForURL(({ pathname }) => pathname.startsWith('/ui/'));

    await page.goto(link);
    await steps.choosePassword('Another one 3 for nobody', passwordWords.resetSubmit);
    await steps.heading(passwordWords.linkBroken).waitFor();
  },
);

journey(
  'creates an account with a mailed link, whose user chooses the password and signs in',
  async (open) => {
    const visitor = await open({ language: 'en' });
    const view = new ConsolePage(visitor);
    const username = unique('newcomer');
    await signIn(visitor, ADMIN, '/ui/users/users/create');
    await view.field('Name').fill(`Name of ${username}`);
    await view.field('Username').fill(username);
    await view.field('Email').fill(`${username}@example.com`);
    expect(await view.field('Password').count()).toBe(0);
    await view.submit();
    await view.notified(common.createSuccess);

    const token = tokenIn(await mailbox.next(`${username}@example.com`));
    const newcomer = await open({ language: 'en' });
    newcomer.watch.allow(/^400 POST \/core\/auth\/welcome\//);
    const steps = identityPage(newcomer);
    await newcomer.page.goto(`/core/auth/welcome/?lang=en#token=${token}`);
    await newcomer.page.getByText(username, { exact: true }).waitFor();
    await newcomer.page.getByText(steps.say(passwordWords.consent)).waitFor();
    await steps.choosePassword(NEW_PASSWORD, passwordWords.joinSubmit);
    await newcomer.page.waitForURL(({ pathname }) => pathname.startsWith('/ui/'));
    await newcomer.page.getByRole('heading', { level: 1 }).first().waitFor();
    expect(newcomer.page.url()).not.toContain('first-login');

    await newcomer.page.goto(`/core/auth/welcome/#token=${token}`);
    await steps.heading(passwordWords.linkUsed).waitFor();
  },
);

journey(
  'mails a password link and sets a password for an administrator',
  async (open, { admin, server }) => {
    const person = await buildPerson(admin);
    const visitor = await open({ language: 'zh' });
    const view = new ConsolePage(visitor);
    await signIn(visitor, ADMIN, `/ui/users/users/${person.id}`);
    await visitor.page
      .getByRole('button', { name: `${view.say(users.resetPassword)}: ${view.say(users.send)}` })
      .click();
    await view.dialog.getByRole('button', { name: view.say(users.send), exact: true }).click();
    await view.notified(users.sent);
    expect(tokenIn(await mailbox.next(`${person.username}@example.com`))).not.toBe('');

    await visitor.page
      .getByRole('button', { name: `${view.say(users.setPassword)}: ${view.say(users.set)}` })
      .click();
    await view.dialog
      .getByLabel(new RegExp(`^${view.say(users.newPassword)}`))
      .first()
      .fill(NEW_PASSWORD);
    await view.dialog
      .getByRole('button', { name: view.say(users.setPassword), exact: true })
      .click();
    await view.notified(common.updateSuccess);
    await server.signIn({ username: person.username, password: NEW_PASSWORD });
  },
);

journey(
  'replaces an expired password during sign-in, and one that expires soon on the profile page',
  async (open, { admin, server }) => {
    const person = await buildPerson(admin);
    const query = async (statement: string, values: readonly string[]) => {
      const database = new pg.Client(server.databaseUrl);
      await database.connect();
      await database.query(statement, [...values]);
      await database.end();
    };
    const age = (interval: string, id: string) =>
      query('update account set date_password_last_updated = now() - $2::interval where id = $1', [
        id,
        interval,
      ]);
    await age('40 years', person.id);

    const visitor = await open({ language });
    visitor.watch.allow(/^400 POST \/core\/auth\/login\/password\//);
    const { page } = visitor;
    const steps = identityPage(visitor);
    await page.goto('/core/auth/login/?next=/ui/users/profile');
    await signInPage(visitor).submit(person);
    await steps.heading(stepWords.expiredTitle).waitFor();
    await steps.choosePassword('short', stepWords.changePassword);
    await page.locator('[aria-invalid=true]').first().waitFor();
    // Two passwords that differ are reported before anything is sent.
    await steps.field(identity.newPassword).fill(NEW_PASSWORD);
    await steps.field(identity.newPasswordAgain).fill('something else');
    await steps.button(stepWords.changePassword).click();
    await page.getByText(steps.say(identity.passwordMismatch)).waitFor();
    await steps.choosePassword(NEW_PASSWORD, stepWords.changePassword);
    await page.waitForURL(({ pathname }) => pathname === '/ui/users/profile');
    await server.signIn({ username: person.username, password: NEW_PASSWORD });

    // In its last days the console reminds of it until it is changed.
    const view = new ConsolePage(visitor);
    await view.heading.waitFor();
    const reminder = page.getByText(view.say(frame.passwordEnds, { days: 4 }));
    expect(await reminder.count()).toBe(0);
    await age('9995 days 1 hour', person.id);
    await page.reload();
    await reminder.waitFor();
    // The web terminal says so, too, and the file manager, until the line is closed.
    for (const address of ['/luna/', '/koko/elfinder/sftp/']) {
      await page.goto(address);
      await reminder.waitFor();
      const change = page.getByRole('link', { name: view.say(frame.changePassword), exact: true });
      expect(await change.getAttribute('href')).toBe('/ui/users/profile?activeTab=PasswordUpdate');
      expect(await problemsOf(page, address)).toEqual([]);
    }
    const line = page.getByRole('complementary', {
      name: view.say(frame.passwordEnds, { days: 4 }),
    });
    await line.getByRole('button').click();
    await reminder.waitFor({ state: 'detached' });
    await page.goto('/ui/users/profile');
    await page.getByRole('link', { name: view.say(frame.changePassword), exact: true }).click();
    for (const [label, value] of [
      [profile.oldPassword, NEW_PASSWORD],
      [profile.newPassword, `${NEW_PASSWORD} again`],
      [profile.newPasswordAgain, `${NEW_PASSWORD} again`],
    ] as const)
      await view.field(label).fill(value);
    await view.submit();
    await view.notified(common.updateSuccess);
    await reminder.waitFor({ state: 'detached' });

    // A directory counts the sign-ins with a password that has expired there.
    await query('insert into source_proof (user_id, sign_ins_left) values ($1, 2)', [person.id]);
    await query("update account set source = 'ldap' where id = $1", [person.id]);
    await page.reload();
    const end = describePasswordEnd({ daysLeft: null, signInsLeft: 2 }, language);
    await page.getByRole('complementary', { name: end }).waitFor();
    await page.getByText(view.say(frame.changeAtSource)).waitFor();
  },
);
