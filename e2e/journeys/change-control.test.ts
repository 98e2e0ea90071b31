import { assetPermission, systemUser } from '@sallyport/contract';
import { expect } from 'vitest';
import { words } from '../../web/src/console/features/change-control/words.ts';
import { words as home } from '../../web/src/console/features/home/words.ts';
import { words as offer } from '../../web/src/kit/change-control/words.ts';
import { common } from '../../web/src/kit/i18n/common.ts';
import { problemsOf } from '../harness/axe.ts';
import { buildGranted, buildPerson, unique } from '../harness/build.ts';
import { useOwnServer } from '../harness/journey.ts';
import { ADMIN } from '../harness/server.ts';
import { ConsolePage } from '../pages/console-page.ts';
import { signIn } from '../pages/sign-in-page.ts';

const { journey } = useOwnServer();

journey(
  'proposes an edit and a deletion of a permission, which another administrator approves, undoes and rejects',
  async (open, { admin, sshd }) => {
    const second = await buildPerson(admin, { role: 'Admin' });
    const { rule, account } = await buildGranted(admin, sshd);
    const stored = async () =>
      (await admin.get<{ name: string }>(`perms/asset-permissions/${rule.id}/`)).body.name;
    const renamed = unique('renamed');

    const visitor = await open({ language: 'en' });
    const { page, watch } = visitor;
    const view = new ConsolePage(visitor);
    await signIn(visitor, ADMIN, '/ui/perms/change-sets');
    const control = view.main.getByRole('switch', { name: view.say(words.needsSecond) });
    await control.click();
    await view.dialog.getByRole('checkbox', { name: view.say(words.allowsBreakGlass) }).check();
    await view.dialog.getByRole('button', { name: view.say(words.switchOn), exact: true }).click();
    await expect.poll(() => control.isChecked()).toBe(true);
    expect(await problemsOf(page, 'change sets')).toEqual([]);

    // The form offers to propose what the server refuses, and then shows the stored values.
    watch.allow(/^409 (PUT|DELETE) /);
    await page.goto(`/ui/perms/asset-permission/${rule.id}/update`);
    const name = view.field(assetPermission.fields.name.label);
    await name.fill(renamed);
    await view.submit();
    await view.dialog.getByLabel(view.say(offer.reason)).fill('The auditors ask for it');
    await view.dialog.getByRole('button', { name: view.say(offer.propose), exact: true }).click();
    const link = view.dialog.getByRole('link', { name: view.say(offer.open) });
    await link.waitFor();
    expect([await stored(), await name.inputValue()]).toEqual([rule.name, rule.name]);
    await link.click();
    await view.main.getByText(view.say(words.ownWaits)).waitFor();
    await view.button(words.withdraw).waitFor();
    expect(await view.button(words.approve).count()).toBe(0);

    const other = await open({ language: 'en' });
    const desk = new ConsolePage(other);
    // The start page of the second administrator links to the change set.
    await signIn(other, second, '/ui/dashboard');
    await desk.main.getByText(desk.say(home.waitingChangeSets, { count: 1 })).waitFor();
    await desk.main.getByRole('link', { name: 'The auditors ask for it' }).click();
    await desk.main.getByRole('cell', { name: renamed }).waitFor();
    expect(await problemsOf(other.page, 'change set')).toEqual([]);
    await desk.button(words.approve).click();
    await desk.dialog.getByLabel(desk.say(words.comment)).fill('Seen');
    await desk.dialog.getByRole('button', { name: desk.say(words.approve), exact: true }).click();
    await desk.main.getByText(desk.say(words.applied), { exact: true }).waitFor();
    expect(await stored()).toBe(renamed);

    // The inverse is a change set of the second administrator, which the first one approves.
    await desk.button(words.undo).click();
    await desk.dialog.getByRole('button', { name: desk.say(words.undo), exact: true }).click();
    await desk.main.getByText(desk.say(words.ownWaits)).waitFor();
    await page.goto(new URL(other.page.url()).pathname);
    await view.button(words.approve).click();
    await view.dialog.getByRole('button', { name: view.say(words.approve), exact: true }).click();
    await view.main.getByText(view.say(words.applied), { exact: true }).waitFor();
    expect(await stored()).toBe(rule.name);

    // The question before a deletion offers the same.
    await page.goto(`/ui/perms/asset-permissions/${rule.id}`);
    await view.button(common.delete).click();
    await view.dialog.getByRole('button', { name: view.say(common.delete), exact: true }).click();
    await view.dialog.getByLabel(view.say(offer.reason)).fill('No longer needed');
    await view.dialog.getByRole('button', { name: view.say(offer.propose), exact: true }).click();
    await view.dialog.getByRole('link', { name: view.say(offer.open) }).waitFor();

    await other.page.goto('/ui/perms/change-sets');
    await desk.main.getByRole('link', { name: 'No longer needed' }).click();
    await desk.button(words.reject).click();
    await desk.dialog.getByRole('button', { name: desk.say(words.reject), exact: true }).click();
    await desk.main.getByText(desk.say(words.rejected), { exact: true }).waitFor();
    expect(await stored()).toBe(rule.name);

    // In an emergency the first administrator does not wait, and the second one reviews.
    await page.goto(`/ui/perms/asset-permission/${rule.id}/update`);
    await name.fill(renamed);
    await view.submit();
    await view.dialog.getByLabel(view.say(offer.reason)).fill('It is abused');
    await view.dialog.getByRole('button', { name: view.say(offer.propose), exact: true }).click();
    await link.click();
    await view.button(words.breakGlass).click();
    await view.dialog.getByLabel(view.say(words.why)).fill('Right now');
    await view.dialog.getByRole('button', { name: view.say(words.applyNow), exact: true }).click();
    await view.main.getByText(view.say(words.applied), { exact: true }).waitFor();
    expect(await stored()).toBe(renamed);
    await other.page.goto(new URL(page.url()).pathname);
    await desk.main.getByText('Right now').waitFor();
    expect(await problemsOf(other.page, 'break-glass')).toEqual([]);
    await desk.button(words.review).click();
    await desk.dialog.getByRole('button', { name: desk.say(words.review), exact: true }).click();
    await desk.main.getByText(desk.say(words.reviewer)).waitFor();

    // The new password of a system user is proposed, and no page shows it.
    await page.goto(`/ui/assets/system-users/${account.id}/update`);
    await view.field(systemUser.fields.password.label).fill('Heron-5-harbour');
    await view.submit();
    await view.dialog.getByLabel(view.say(offer.reason)).fill('The yearly change');
    await view.dialog.getByRole('button', { name: view.say(offer.propose), exact: true }).click();
    await link.click();
    await view.main.getByRole('cell', { name: view.say(words.secretChanged) }).waitFor();
    expect(await page.content()).not.toContain('Heron-5-harbour');
    expect(await problemsOf(page, 'change set of a secret')).toEqual([]);
    await other.page.goto(new URL(page.url()).pathname);
    await desk.button(words.approve).click();
    await desk.dialog.getByRole('button', { name: desk.say(words.approve), exact: true }).click();
    await desk.main.getByText(desk.say(words.applied), { exact: true }).waitFor();
  },
);
