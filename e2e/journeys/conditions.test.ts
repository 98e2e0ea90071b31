import { assetPermission, condition, network, signInRule } from '@sallyport/contract';
import { expect } from 'vitest';
import { words } from '../../web/src/console/features/conditions/words.ts';
import { words as form } from '../../web/src/console/resource/form/words.ts';
import { common } from '../../web/src/kit/i18n/common.ts';
import { problemsAndOtherTheme } from '../harness/axe.ts';
import { buildGranted, buildPerson, unique } from '../harness/build.ts';
import { useStage } from '../harness/journey.ts';
import { ADMIN } from '../harness/server.ts';
import { ConsolePage } from '../pages/console-page.ts';
import { signIn, signInPage } from '../pages/sign-in-page.ts';

const { journey } = useStage();

journey(
  'describes a condition while its week is painted by keyboard and pointer, and gives it to a permission',
  async (open, { admin, sshd }) => {
    const { rule } = await buildGranted(admin, sshd);
    const office = unique('office');
    await admin.post(`${network.path}/`, { name: office, networks: ['10.0.0.0/8'] });
    const visitor = await open({ language: 'en' });
    const { page } = visitor;
    const view = new ConsolePage(visitor);
    await signIn(visitor, ADMIN, '/ui/perms/conditions/create');
    const name = unique('condition');
    await view.field(condition.fields.name.label).fill(name);
    await view.choose(condition.fields.networks.label, office);
    await view.field(condition.fields.time_zone.label).fill('Asia/Shanghai');
    const hour = (label: string) => page.getByRole('button', { name: label, exact: true });
    // Space sets an hour, and Shift with an arrow extends it.
    await hour('Monday 08:00–09:00').focus();
    await page.keyboard.press('Space');
    await page.keyboard.press('Shift+ArrowRight');
    await page.keyboard.press('Shift+ArrowDown');
    await hour('Tuesday 08:00–09:00').click();
    await page.getByText(`${office} (10.0.0.0/8); `).first().waitFor();
    await page.getByText('Mon–Tue 08:00–10:00 Asia/Shanghai', { exact: false }).first().waitFor();
    expect(await problemsAndOtherTheme(page, 'the form of a condition')).toEqual([]);
    await view.submit();
    await view.row(name).getByText('Mon–Tue 08:00–10:00 Asia/Shanghai').waitFor();

    await page.goto(`/ui/perms/asset-permission/${rule.id}/update`);
    await view.unfold(form.moreOptions);
    await view.choose(assetPermission.fields.condition.label, name);
    await view.submit();
    await view.notified(common.updateSuccess);
    await page.goto(`/ui/perms/asset-permissions/${rule.id}`);
    await view.main.getByRole('link', { name, exact: true }).waitFor();
  },
);

journey('shows the days of the week as columns on a phone', async (open) => {
  const visitor = await open({ language: 'zh' });
  const { page } = visitor;
  await page.setViewportSize({ width: 390, height: 844 });
  const view = new ConsolePage(visitor);
  await signIn(visitor, ADMIN, '/ui/perms/conditions/create');
  const week = page.getByRole('table', { name: view.say(condition.fields.hours.label) });
  await expect.poll(() => week.getByRole('columnheader').count()).toBe(7);
  await week.getByRole('button', { name: '星期一 08:00–09:00', exact: true }).click();
  await page.getByText('周一 08:00–09:00', { exact: false }).first().waitFor();
  await page.getByRole('button', { name: view.say(words.officeHours), exact: true }).click();
  const isWide = () => page.evaluate(() => document.body.scrollWidth > window.innerWidth);
  expect(await isWide()).toBe(false);
  expect(await problemsAndOtherTheme(page, 'the form of a condition on a phone')).toEqual([]);
});

journey(
  'limits the sign-in of a user by a rule that cannot refuse its author, and names it after the password',
  async (open, { admin }) => {
    const person = await buildPerson(admin);
    const visitor = await open({ language: 'en' });
    const { page } = visitor;
    const view = new ConsolePage(visitor);
    visitor.watch.allow(/^400 POST \/api\/v1\/users\/sign-in-rules\//);
    await signIn(visitor, ADMIN, '/ui/users/sign-in-rules/create');
    const name = unique('rule');
    await view.field(signInRule.fields.name.label).fill(name);
    const everyone = page.getByRole('switch', { name: signInRule.fields.everyone.label.en });
    await everyone.press('Space');
    await view.field(signInRule.fields.networks.label).fill('192.0.2.0/24');
    await page.keyboard.press('Enter');
    await page.getByText('Sign-in only if all of this is true: 192.0.2.0/24').first().waitFor();
    await view.submit();
    await page.getByText('would refuse your own sign-in').first().waitFor();
    expect(await problemsAndOtherTheme(page, 'the form of a sign-in rule')).toEqual([]);
    await everyone.press('Space');
    await view.choose(signInRule.fields.users.label, person.name);
    await view.submit();
    await view.row(name).getByText('192.0.2.0/24').waitFor();

    const limited = await open({ language: 'zh' });
    limited.watch.allow(/^400 POST \/core\/auth\/login\//);
    const form = signInPage(limited);
    await form.open();
    await form.submit({ ...person, password: 'wrong' });
    await form.alert.getByText('密码不正确').waitFor();
    await form.submit(person);
    await form.alert.getByText('当前无法登录：当前网络不允许：仅限192.0.2.0/24').waitFor();
  },
);
