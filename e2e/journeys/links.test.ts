import { LINK_LANGUAGE } from '@sallyport/contract';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect } from 'vitest';
import type { Client } from '../../server/src/testing/client.ts';
import {
  type Mailbox,
  startMailbox,
  useMailbox,
} from '../../server/src/testing/services/mailbox.ts';
import { words as password } from '../../web/src/signin/password/words.ts';
import {
  buildAsset,
  buildGranted,
  buildPermission,
  buildPerson,
  buildSystemUser,
  create,
  unique,
} from '../harness/build.ts';
import type { OpenBrowser } from '../harness/journey.ts';
import { useOwnServer } from '../harness/journey.ts';
import { addLicense } from '../harness/license.ts';
import { identityPage } from '../pages/identity-page.ts';
import { signIn, signInPage } from '../pages/sign-in-page.ts';
import { connectTo } from '../pages/terminal-page.ts';

/**
 * Senders work at 127.0.0.1 in English. Receivers know the server as localhost, and their browsers
 * have chosen no language, so pages without the language of a sender are Chinese.
 */
const { journey, stage } = useOwnServer();

let mailbox: Mailbox;
let here: string;
let site: string;
beforeAll(async () => {
  const { admin, server } = stage();
  mailbox = await startMailbox();
  await useMailbox(admin, mailbox);
  here = new URL(server.url).origin;
  site = here.replace('127.0.0.1', 'localhost');
  expect(site).not.toBe(here);
  const { status } = await admin.patch('settings/setting/', { basic: { SITE_URL: site } });
  expect(status).toBe(200);
});
afterAll(() => mailbox.stop());

const english = (client: Client) => client.with({ 'accept-language': 'en' });

/** Returns the link in the next mail to a user. */
async function mailedLink(username: string): Promise<URL> {
  const { text } = await mailbox.next(`${username}@example.com`);
  const link = new URL(/https?:\/\/\S+/.exec(text)?.[0] ?? '');
  expect(link.origin).toBe(site);
  return link;
}

/** Opens a link in a new browser without a sign-in. */
async function receive(open: OpenBrowser, link: URL) {
  const visitor = await open();
  visitor.watch.allow(/^401 GET .*users\/profile/);
  await visitor.page.goto(link.href);
  return visitor;
}

const languageOf = (page: Page) => page.locator('html').getAttribute('lang');

journey(
  'opens mailed links to set a password in the language of the sender',
  async (open, { admin }) => {
    const person = await buildPerson(admin);
    await english(admin).patch(`users/users/${person.id}/password/reset/`);
    const reset = await mailedLink(person.username);
    expect([reset.pathname, reset.searchParams.get(LINK_LANGUAGE)]).toEqual([
      '/core/auth/password/reset/',
      'en',
    ]);
    const forgetful = await receive(open, reset);
    await identityPage({ ...forgetful, language: 'en' }).choosePassword(
      'Chosen 7 at localhost',
      password.resetSubmit,
    );
    await identityPage({ ...forgetful, language: 'en' })
      .heading(password.resetDone)
      .waitFor();
    expect(await languageOf(forgetful.page)).toBe('en');

    const newcomer = unique('newcomer');
    await english(admin).post('users/users/newcomers/', {
      people: `Ana <${newcomer}@example.com>`,
    });
    const invited = await receive(open, await mailedLink(newcomer));
    await invited.page.getByText('Ana').first().waitFor();
    expect(await languageOf(invited.page)).toBe('en');
  },
);

journey(
  'opens mailed links to a decision and an emergency after a sign-in',
  async (open, { admin, sshd, server }) => {
    await addLicense(server, admin);
    const [asker, reviewer, asset, account] = await Promise.all([
      buildPerson(admin),
      buildPerson(admin, { role: 'Admin' }),
      buildAsset(admin, sshd),
      buildSystemUser(admin, sshd),
    ]);
    const asking = english(await server.signIn(asker));
    const ticket = await create(asking, 'tickets/tickets/', {
      ...{ title: unique('question'), body: 'May I?', assignees: [reviewer.id] },
    });
    const rule = await create(admin, 'perms/emergency-access/', {
      ...{ name: unique('emergency'), users: [asker.id], assets: [asset.id], max_minutes: 60 },
      ...{ system_users: [account.id], reviewers: [reviewer.id] },
    });
    const decision = await mailedLink(reviewer.username);
    expect(decision.pathname).toMatch(new RegExp(`/${ticket}$`));
    const { body } = await asking.post<{ readonly ticket: string }>(
      'perms/users/emergency-access/',
      {
        ...{ rule, asset: asset.id, minutes: 30, reason: 'The shop is down' },
      },
    );
    const emergency = await mailedLink(reviewer.username);
    expect(emergency.pathname).toMatch(new RegExp(`/${body.ticket}$`));

    const receiver = await receive(open, decision);
    await receiver.page.waitForURL((url) => url.pathname.startsWith('/core/auth/login/'));
    await signInPage(receiver).submit(reviewer);
    await receiver.page.getByText('May I?').first().waitFor();
    await receiver.page.goto(emergency.href);
    await receiver.page.getByText('The shop is down').first().waitFor();
    expect(new URL(receiver.page.url()).origin).toBe(site);
  },
);

journey(
  'opens a copied link into a terminal, and the link of a device, at another host name',
  async (open, { admin, sshd }) => {
    const { person, asset, account } = await buildGranted(admin, sshd);
    const colleague = await buildPerson(admin);
    await buildPermission(admin, [colleague], [asset], [account]);
    await admin.patch('settings/setting/', { terminal: { TERMINAL_SESSION_INVITATIONS: true } });
    const owner = await open({ language: 'en' });
    await signIn(owner, person, '/luna/');
    const terminal = await connectTo(owner.page, 'en', asset);
    await terminal.ready();
    await owner.page.getByRole('tab', { name: new RegExp(asset.name) }).click({ button: 'right' });
    await owner.page.getByRole('menuitem', { name: 'Invite a colleague…' }).click();
    await owner.page.getByRole('button', { name: 'Create link' }).click();
    const copied = new URL(
      await owner.page.getByRole('textbox', { name: 'Invitation link' }).inputValue(),
    );
    // A copied link begins with the address of its page; its receiver reads the same in the mail.
    expect(copied.origin).toBe(here);
    const guest = await receive(open, new URL(copied.href.replace(here, site)));
    await guest.page.waitForURL((url) => url.pathname.startsWith('/core/auth/login/'));
    await signInPage({ ...guest, language: 'en' }).submit(colleague);
    await guest.page.getByText('Watching').waitFor();
    expect(await languageOf(guest.page)).toBe('en');

    const begun = await fetch(`${site}/api/v1/authentication/device/code/`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ device: 'laptop' }),
    });
    const { verification_uri_complete: address, user_code: code } = (await begun.json()) as {
      readonly verification_uri_complete: string;
      readonly user_code: string;
    };
    expect(new URL(address).origin).toBe(site);
    await guest.page.goto(address);
    await guest.page.getByText('laptop').first().waitFor();
    expect(
      (await guest.page.getByText(code).count()) > 0 ||
        new URL(guest.page.url()).search.includes(code),
    ).toBe(true);
  },
);
