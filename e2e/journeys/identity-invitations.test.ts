import type { LocalText } from '@sallyport/contract';
import { expect } from 'vitest';
import { words as profile } from '../../web/src/console/features/profile/words.ts';
import { words as users } from '../../web/src/console/features/users/words.ts';
import { COOKIES } from '../../web/src/kit/cookies.ts';
import { common } from '../../web/src/kit/i18n/common.ts';
import { buildPerson, unique } from '../harness/build.ts';
import { useOwnServer } from '../harness/journey.ts';
import { languageOfFile } from '../harness/language.ts';
import { addLicense } from '../harness/license.ts';
import { ConsolePage } from '../pages/console-page.ts';
import { signIn } from '../pages/sign-in-page.ts';

const language = languageOfFile(import.meta.url);

const { journey } = useOwnServer();

journey(
  'invites a user into an organization, shows, withdraws and resends the invitation, and lets the user accept',
  async (open, { admin, server }) => {
    await addLicense(server, admin);
    const [inviter, guest] = [await buildPerson(admin), await buildPerson(admin)];
    const name = unique('branch');
    const { id } = (await admin.post<{ id: string }>('orgs/orgs/', { name })).body;
    const inside = admin.inOrganization(id);
    expect(
      (await inside.post('users/users/invite/', { accounts: [inviter.username], role: 'Admin' }))
        .status,
    ).toBe(201);
    const isMember = async () => (await inside.get(`users/users/${guest.id}/`)).status === 200;

    const visitor = await open({ language });
    const view = new ConsolePage(visitor);
    const { url } = server;
    await visitor.context.addCookies([
      { name: COOKIES.organization, value: encodeURIComponent(JSON.stringify({ id, name })), url },
      { name: COOKIES.organizationHeader, value: id, url },
    ]);
    await signIn(visitor, inviter, '/ui/users/users');
    await view.main.getByRole('link', { name: view.say(users.invitations), exact: true }).click();
    await view.main.getByText(view.say(users.noInvitations)).waitFor();
    await view.button(users.invite).first().click();
    const accounts = view.dialog
      .getByLabel(new RegExp(`^${RegExp.escape(view.say(users.accounts))}`))
      .and(visitor.page.locator('input:not([type=hidden])'));
    await accounts.fill(guest.username);
    // Safari reports the Enter that ends a composition after it, as the key of an input method.
    await accounts.evaluate((input) => {
      const enter = { key: 'Enter', keyCode: 229, bubbles: true, cancelable: true };
      input.dispatchEvent(new KeyboardEvent('keydown', enter));
      return new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));
    });
    expect(await accounts.inputValue()).toBe(guest.username);
    await accounts.press('Enter');
    await view.dialog.getByText(guest.username, { exact: true }).waitFor();
    expect(await accounts.inputValue()).toBe('');
    // An organization gives no role to unknown users.
    expect(await view.dialog.getByRole('radio').count()).toBe(0);
    const answer = async (text: string) => {
      await view.dialog.getByRole('button', { name: text, exact: true }).click();
      await view.dialog.waitFor({ state: 'detached' });
    };
    await answer(view.say(users.invite));
    const entry = view.main.getByRole('listitem').filter({ hasText: guest.username });
    await entry.getByText(view.say(users.invitationOpen), { exact: true }).waitFor();
    await entry.getByText(new RegExp(RegExp.escape(inviter.username))).waitFor();

    const act = async (what: LocalText) => {
      await view.button(`${view.say(what)}: ${guest.username}`).click();
      await answer(view.say(what));
    };
    await act(users.sendAgain);
    await entry.getByText(view.say(users.invitationOpen), { exact: true }).waitFor();
    await act(users.withdraw);
    await entry.waitFor({ state: 'detached' });
    expect((await (await server.signIn(guest)).get('users/profile/invitations/')).body).toEqual([]);

    for (const decision of [profile.decline, profile.accept]) {
      expect(
        (
          await (
            await server.signIn(inviter)
          )
            .inOrganization(id)
            .post('users/users/invite/', { accounts: [guest.username] })
        ).status,
      ).toBe(201);
      const invited = await open({ language });
      const own = new ConsolePage(invited);
      await signIn(invited, guest, '/ui/users/profile');
      await own.button(`${own.say(decision)}: ${name}`).click();
      await own.notified(common.updateSuccess);
      await own.main
        .getByText(own.say(profile.invitations), { exact: true })
        .waitFor({ state: 'detached' });
      expect(await isMember()).toBe(decision === profile.accept);
    }
  },
);
