import { adminUser, asset, assetPermission, systemUser } from '@sallyport/contract';
import { expect } from 'vitest';
import { words as assets } from '../../web/src/console/features/assets/words.ts';
import { words as perms } from '../../web/src/console/features/perms/words.ts';
import { words as form } from '../../web/src/console/resource/form/words.ts';
import { words as list } from '../../web/src/console/resource/list/words.ts';
import { common } from '../../web/src/kit/i18n/common.ts';
import { problemsOf } from '../harness/axe.ts';
import { buildAsset, buildPerson, buildSystemUser, unique } from '../harness/build.ts';
import { useStage } from '../harness/journey.ts';
import { languageOfFile } from '../harness/language.ts';
import { ADMIN } from '../harness/server.ts';
import { visit } from '../harness/visit.ts';
import { ConsolePage } from '../pages/console-page.ts';
import { signIn } from '../pages/sign-in-page.ts';

const language = languageOfFile(import.meta.url);
const { journey } = useStage();
const HEIGHT = 900;
const PHONE = { width: 390, height: 844 };

interface Stored {
  readonly id: string;
  readonly admin_user: string | null;
  readonly username: string;
}

journey(
  'creates an asset with a new admin user on one screen, and creates the admin user once',
  async (open, { admin }) => {
    const [taken, server] = [unique('taken'), unique('server')];
    await admin.post('assets/assets/', { hostname: taken, ip: '192.0.2.1', platform: 'Linux' });
    const visitor = await open({ language, size: { width: 1440, height: HEIGHT } });
    const { page } = visitor;
    const view = new ConsolePage(visitor);
    const { hostname, ip } = asset.fields;
    await signIn(visitor, ADMIN, '/ui/assets/assets/create');
    await view.field(hostname.label).fill(taken);
    await view.field(ip.label).fill('192.0.2.2');
    const submit = await view.button(common.submit).boundingBox();
    expect((submit?.y ?? HEIGHT) + (submit?.height ?? 0)).toBeLessThan(HEIGHT);
    await expect
      .poll(() => page.evaluate(() => document.documentElement.scrollHeight - window.innerHeight))
      .toBe(0);

    await page.getByRole('radio', { name: view.say(assets.newAccount), exact: true }).check();
    await view.field(adminUser.fields.username.label).fill('root');
    await view.field(adminUser.fields.password.label).fill('kept for jobs');
    const summary = page.getByRole('complementary', { name: view.say(form.summary) });
    await summary.getByText('root', { exact: true }).waitFor();
    expect(await summary.getByText('kept for jobs').count()).toBe(0);

    // The server rejects the hostname after the admin user was created.
    visitor.watch.allow(/^400 POST \/api\/v1\/assets\/assets\//);
    await view.submit();
    await expect.poll(() => view.field(hostname.label).getAttribute('aria-invalid')).toBe('true');
    await view.field(hostname.label).fill(server);
    await view.submit();
    await view.notified(common.createSuccess);
    const [stored] = (await admin.get<Stored[]>(`assets/assets/?hostname=${server}`)).body;
    const users = (await admin.get<Stored[]>(`assets/admin-users/?search=${taken}`)).body;
    expect(users).toMatchObject([{ id: stored?.admin_user, username: 'root' }]);
    expect((await admin.get<Stored[]>(`assets/admin-users/?search=${server}`)).body).toEqual([]);

    // An invalid username of the new account is shown on its field, and no asset is created.
    await page.goto('/ui/assets/assets/create');
    await view.field(hostname.label).fill(unique('other'));
    await view.field(ip.label).fill('192.0.2.3');
    await page.getByRole('radio', { name: view.say(assets.newAccount), exact: true }).check();
    await view.submit();
    const username = view.field(adminUser.fields.username.label);
    await expect
      .poll(() => username.evaluate((element) => element === document.activeElement))
      .toBe(true);
  },
);

journey(
  'creates another asset, system user and permission like an existing one',
  async (open, { admin, sshd }) => {
    const [server, account, person] = await Promise.all([
      buildAsset(admin, sshd),
      buildSystemUser(admin, sshd),
      buildPerson(admin),
    ]);
    const rule = unique('rule');
    await admin.post('perms/asset-permissions/', {
      name: rule,
      users: [person.id],
      assets: [server.id],
      system_users: [account.id],
    });
    const visitor = await open({ language });
    const { page } = visitor;
    const view = new ConsolePage(visitor);

    // From the row of the list.
    await signIn(visitor, ADMIN, `/ui/assets/assets?search=${server.name}`);
    await view
      .row(server.name)
      .getByRole('button', { name: view.say(common.more) })
      .click();
    await page.getByRole('menuitem', { name: view.say(list.createLike) }).click();
    await view.main.getByText(view.say(form.copied, { name: server.name })).waitFor();
    expect(await view.field(asset.fields.hostname.label).inputValue()).toBe('');
    expect(await view.field(asset.fields.ip.label).inputValue()).toBe('');
    const twin = unique('twin');
    await view.field(asset.fields.hostname.label).fill(twin);
    await view.field(asset.fields.ip.label).fill('192.0.2.9');
    await view.submit();
    await view.notified(common.createSuccess);
    const read = async (name: string) =>
      (await admin.get<Record<string, unknown>[]>(`assets/assets/?hostname=${name}`)).body[0];
    const [first, second] = [await read(server.name), await read(twin)];
    for (const name of ['platform', 'protocols', 'nodes', 'admin_user'])
      expect(second?.[name]).toEqual(first?.[name]);

    // From the page of the object; the name and secrets are its own.
    await page.goto(`/ui/assets/system-users/${account.id}`);
    await view.heading.filter({ hasText: account.name }).waitFor();
    await view.link(list.createLike).click();
    await view.main.getByText(view.say(form.copied, { name: account.name })).waitFor();
    expect(await view.field(systemUser.fields.name.label).inputValue()).toBe('');
    expect(await view.field(systemUser.fields.private_key.label).inputValue()).toBe('');
    expect(await view.field(systemUser.fields.username.label).inputValue()).toBe(sshd.username);
    expect(await problemsOf(page, 'a copy of a system user', ['light'])).toEqual([]);

    await visit(visitor, `/ui/perms/asset-permissions?search=${rule}`);
    await view.row(rule).getByRole('link', { name: rule }).click();
    await view.heading.filter({ hasText: rule }).waitFor();
    page.on('dialog', (warning) => void warning.accept());
    await view.link(list.createLike).click();
    await view.main.getByText(view.say(form.copied, { name: rule })).waitFor();
    const copy = unique('copy');
    await view.field(assetPermission.fields.name.label).fill(copy);
    await view.submit();
    await view.notified(common.createSuccess);
    await view.row(copy).waitFor();
  },
);

journey(
  'keeps the sentence of a permission in sight, next to the form and above the buttons of a phone',
  async (open, { admin, sshd }) => {
    const [person, server, account] = await Promise.all([
      buildPerson(admin),
      buildAsset(admin, sshd),
      buildSystemUser(admin, sshd),
    ]);
    const visitor = await open({ language: 'en', size: { width: 1440, height: HEIGHT } });
    const { page } = visitor;
    const view = new ConsolePage(visitor);
    const { fields } = assetPermission;
    await signIn(visitor, ADMIN, '/ui/perms/asset-permissions/create');
    await view.field(fields.name.label).fill(unique('rule'));
    await view.choose(fields.users.label, person.username);
    await view.choose(fields.assets.label, server.name);
    await view.choose(fields.system_users.label, account.name);
    await view.unfold(form.moreOptions);
    await view.field(fields.comment.label).scrollIntoViewIfNeeded();
    await page.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight));
    const inSight = (text: string, height: number) =>
      expect
        .poll(async () => {
          const box = await view.main.getByText(text).last().boundingBox();
          return box !== null && box.y > 0 && box.y + box.height < height;
        })
        .toBe(true);
    const summary = page.getByRole('complementary', { name: view.say(form.summary) });
    await summary.getByRole('alert', { name: view.say(perms.says) }).waitFor();
    await inSight(`${server.name} as ${account.name}`, HEIGHT);

    await page.setViewportSize(PHONE);
    const line = page.getByRole('button', { name: new RegExp(`^${view.say(form.summary)}`) });
    await line.filter({ hasText: account.name }).waitFor();
    const box = await line.boundingBox();
    expect((box?.y ?? PHONE.height) + (box?.height ?? 0)).toBeLessThan(PHONE.height);
    await line.click();
    await page.getByRole('alert', { name: view.say(perms.says) }).waitFor();
    // At the end of the page the bar covers no control.
    await page.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight));
    expect(await problemsOf(page, 'a permission on a phone', ['light'])).toEqual([]);
  },
);
