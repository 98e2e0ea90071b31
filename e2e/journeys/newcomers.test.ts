import { NEWCOMER_FIELDS } from '@sallyport/contract';
import { expect } from 'vitest';
import { words as users } from '../../web/src/console/features/users/words.ts';
import { words as password } from '../../web/src/signin/password/words.ts';
import { problemsOf } from '../harness/axe.ts';
import { buildAsset, buildSystemUser, unique } from '../harness/build.ts';
import { useStage } from '../harness/journey.ts';
import { languageOfFile } from '../harness/language.ts';
import { ADMIN } from '../harness/server.ts';
import { ConsolePage } from '../pages/console-page.ts';
import { identityPage } from '../pages/identity-page.ts';
import { signIn } from '../pages/sign-in-page.ts';

const language = languageOfFile(import.meta.url);

const { journey } = useStage();

journey(
  'invites a contractor with access for a week, names the wrong line, and shows a link to copy',
  async (open, { admin, sshd }) => {
    const [asset, account] = [await buildAsset(admin, sshd), await buildSystemUser(admin, sshd)];
    const name = unique('contractor');
    const visitor = await open({ language });
    visitor.watch.allow(/^400 POST \/api\/v1\/users\/users\/newcomers\//);
    const view = new ConsolePage(visitor);
    await signIn(visitor, ADMIN, '/ui/users/users');
    await view.link(users.inviteNewUsers).click();
    const people = view.field(NEWCOMER_FIELDS.people.label);
    await people.waitFor();
    await people.fill(`Cole <${name}@example.com>\nnobody`);
    await view.choose(NEWCOMER_FIELDS.assets.label, asset.name);
    await view.choose(NEWCOMER_FIELDS.system_users.label, account.name);
    await view.main.getByRole('status').filter({ hasText: 'Cole' }).first().waitFor();
    await view.main.getByRole('status').filter({ hasText: account.name }).first().waitFor();
    await view.button(users.createNewcomers).click();
    await view.main
      .getByText(/(Line|第) ?2/)
      .first()
      .waitFor();
    expect(await problemsOf(visitor.page, 'refused form')).toEqual([]);

    await people.fill(`Cole <${name}@example.com>`);
    await view.button(users.createNewcomers).click();
    const created = view.main.getByRole('listitem').filter({ hasText: `${name}@example.com` });
    const link = new URL((await created.getByText(/#token=/).textContent()) ?? '');
    expect(link.origin).toBe(new URL(visitor.page.url()).origin);
    await created.getByRole('button').waitFor();
    expect(await problemsOf(visitor.page, 'links')).toEqual([]);
    await view.link(users.showPermission).click();
    await view.main.getByText(asset.name).first().waitFor();

    // A browser that has chosen no language shows the one of the inviter.
    const fresh = await open();
    await fresh.page.goto(link.href);
    await fresh.page.getByText(asset.name).waitFor();
    expect(await fresh.page.locator('html').getAttribute('lang')).toContain(language);

    const newcomer = await open({ language });
    await newcomer.page.goto(link.href);
    const steps = identityPage(newcomer);
    await steps.heading({ zh: '欢迎，Cole', en: 'Welcome, Cole' }).waitFor();
    await newcomer.page.getByText(asset.name).waitFor();
    expect(await problemsOf(newcomer.page, 'welcome')).toEqual([]);
    await steps.choosePassword('Chosen by Cole 1', password.joinSubmit);
    await newcomer.page.waitForURL(({ pathname }) => pathname.startsWith('/ui/'));
    await newcomer.page
      .getByRole('link', { name: asset.name })
      .or(newcomer.page.getByText(asset.name))
      .first()
      .waitFor();
  },
);
