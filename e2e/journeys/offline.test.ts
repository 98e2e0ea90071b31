import { buildGranted } from '../harness/build.ts';
import { useOwnServer } from '../harness/journey.ts';
import { ADMIN } from '../harness/server.ts';
import { UNREACHED } from '../harness/watch.ts';
import { signIn } from '../pages/sign-in-page.ts';
import { connectTo } from '../pages/terminal-page.ts';

const { journey } = useOwnServer();

journey(
  'reports a lost network with the age of the data, and disables saving with a reason',
  async (open, { admin, sshd }) => {
    const { asset } = await buildGranted(admin, sshd);
    const visitor = await open({ language: 'en' });
    visitor.watch.allow(...UNREACHED);
    const { page, context } = visitor;
    await signIn(visitor, ADMIN, '/ui/assets/labels/create');
    const name = page.getByRole('textbox', { name: 'Name' });
    await name.fill('kept');
    const submit = page.getByRole('button', { name: 'Save', exact: true });
    await context.setOffline(true);
    const banner = page.getByRole('status').filter({ hasText: 'Offline' });
    await banner.waitFor();
    await page.getByText('You can save when the connection is back.').waitFor();
    await submit.and(page.locator(':disabled')).waitFor();
    await context.setOffline(false);
    await banner.waitFor({ state: 'detached' });
    await submit.and(page.locator(':enabled')).waitFor();
    await name.and(page.locator('[value="kept"]')).waitFor();

    await page.goto('/ui/assets/assets');
    await page.getByText(asset.name, { exact: true }).first().waitFor();
    await context.setOffline(true);
    await page.getByText(/^Offline: showing data from \d\d:\d\d/).waitFor();
    await page.getByText(asset.name, { exact: true }).first().waitFor();
    await context.setOffline(false);
    await banner.waitFor({ state: 'detached' });
  },
);

journey(
  'announces a server that stops answering, and reads the page again on Retry',
  async (open) => {
    const visitor = await open({ language: 'zh' });
    visitor.watch.allow(...UNREACHED);
    const { page } = visitor;
    await signIn(visitor, ADMIN, '/ui/users/users');
    await page.getByText('Administrator', { exact: true }).first().waitFor();
    let isDown = true;
    await page.route('**/api/**', (route) =>
      isDown ? route.abort('connectionrefused') : route.continue(),
    );
    await page.getByRole('button', { name: '刷新', exact: true }).click();
    const banner = page.getByText(/^无法连接服务器：当前显示 \d\d:\d\d 的数据/);
    await banner.waitFor();
    // The refresh is tried twice before it is given up; the rows stay.
    await page.getByRole('alert').first().waitFor();
    await page.getByText('Administrator', { exact: true }).first().waitFor();
    const retry = page
      .getByRole('status')
      .filter({ hasText: '无法连接服务器' })
      .getByRole('button', { name: '重试' });
    // The server returns when the button is pressed: the page's own probe would remove the banner.
    await page.exposeFunction('serverReturns', () => {
      isDown = false;
    });
    await retry.evaluate((button) =>
      button.addEventListener('pointerdown', () => Reflect.get(window, 'serverReturns')()),
    );
    await retry.click();
    await banner.waitFor({ state: 'detached' });
    await page.getByText('Administrator', { exact: true }).first().waitFor();
  },
);

journey(
  'announces a lost network in the terminal, and continues when it returns',
  async (open, { admin, sshd }) => {
    const { person, asset } = await buildGranted(admin, sshd);
    const visitor = await open({ language: 'en' });
    visitor.watch.allow(...UNREACHED);
    await signIn(visitor, person, '/luna/');
    const terminal = await connectTo(visitor.page, 'en', asset);
    await terminal.ready();
    await visitor.context.setOffline(true);
    const banner = visitor.page.getByRole('status').filter({ hasText: 'Offline' });
    await banner.waitFor();
    await visitor.context.setOffline(false);
    await banner.waitFor({ state: 'detached' });
  },
);
