import { expect } from 'vitest';
import { buildAsset, buildPermission, buildPerson, buildSystemUser } from '../harness/build.ts';
import { useOwnServer } from '../harness/journey.ts';
import { signIn } from '../pages/sign-in-page.ts';
import { connectTo, TerminalPage } from '../pages/terminal-page.ts';

const { journey } = useOwnServer();

journey(
  'chooses an account of lower priority with one digit, and remembers it for the asset',
  async (open, { admin, sshd }) => {
    const [person, asset] = await Promise.all([buildPerson(admin), buildAsset(admin, sshd)]);
    const usual = await buildSystemUser(admin, sshd, { priority: 20 });
    const emergency = await buildSystemUser(admin, sshd, { priority: 5 });
    await buildPermission(admin, [person], [asset], [usual, emergency]);
    const accounts = async () => {
      const { body } = await admin.get<{ results: { system_user: string }[] }>(
        `terminal/sessions/?limit=9&asset_id=${asset.id}&order=date_start`,
      );
      return body.results.map(({ system_user }) => system_user.replace(/\(.*/, ''));
    };
    const visitor = await open({ language: 'en' });
    const { page } = visitor;
    await signIn(visitor, person, '/luna/');
    const terminal = await connectTo(page, 'en', asset);
    await terminal.ready();
    expect(await accounts()).toEqual([usual.name]);

    await page.getByRole('tab').click({ button: 'right' });
    await page.getByRole('menuitem', { name: 'Connect as…' }).click();
    const second = page.getByRole('button', { name: emergency.name });
    await second.waitFor();
    await page.getByRole('button', { name: usual.name }).and(page.locator(':focus')).waitFor();
    await page.keyboard.press('2');
    await terminal.ready();
    await expect.poll(accounts).toHaveLength(2);
    expect((await accounts()).toSorted()).toEqual([usual.name, emergency.name].toSorted());

    // The choice is kept in this browser.
    const again = await visitor.context.newPage();
    await (await connectTo(again, 'en', asset)).ready();
    await expect
      .poll(async () => (await accounts()).filter((name) => name === emergency.name).length)
      .toBe(2);

    // From the list of the own assets, too.
    await page.goto('/ui/');
    const row = page.getByRole('row').filter({ hasText: asset.name });
    const window = await visitor.windowFrom(() =>
      row.getByRole('link', { name: /^Connect as…/ }).click(),
    );
    await window.getByRole('button', { name: usual.name }).click();
    await new TerminalPage(window, 'en', asset.name).ready();
  },
);
