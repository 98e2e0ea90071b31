import type { Client } from '../../server/src/testing/client.ts';
import type { TestSshd } from '../../server/src/testing/ssh/sshd.ts';
import { words as assetWords } from '../../web/src/console/features/assets/words.ts';
import { words as permWords } from '../../web/src/console/features/perms/words.ts';
import { words as terminalWords } from '../../web/src/console/features/sessions/words.ts';
import { words as detail } from '../../web/src/console/resource/detail/words.ts';
import { buildAsset, buildGranted, buildPermission, buildSystemUser } from '../harness/build.ts';
import { useStage } from '../harness/journey.ts';
import { ADMIN } from '../harness/server.ts';
import { ConsolePage } from '../pages/console-page.ts';
import { sessionsPage } from '../pages/sessions-page.ts';
import { signIn } from '../pages/sign-in-page.ts';
import { connectTo } from '../pages/terminal-page.ts';

const { journey } = useStage();

journey(
  'links a session to its user and its server, each with a preview for pointer and keyboard',
  async (open, { admin, sshd }) => {
    const { person, asset } = await buildGranted(admin, sshd);
    const worker = await open({ language: 'en' });
    await signIn(worker, person, '/luna/');
    const terminal = await connectTo(worker.page, 'en', asset);
    await terminal.ready();

    const visitor = await open({ language: 'en' });
    const { page } = visitor;
    const view = new ConsolePage(visitor);
    await signIn(visitor, ADMIN, '/ui/terminal/session');
    const row = sessionsPage(visitor).row(person.name, asset.name);
    const server = row.getByRole('link', { name: asset.name, exact: true });
    await server.hover();
    await page.getByRole('tooltip').getByText(sshd.host, { exact: true }).waitFor();
    await page.keyboard.press('Escape');
    await page.mouse.move(0, 0);
    await page.getByRole('tooltip').waitFor({ state: 'detached' });

    const user = row.getByRole('link', { name: person.name }).first();
    await user.focus();
    await page.getByRole('tooltip').getByText(person.username).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('tooltip').waitFor({ state: 'detached' });
    await page.keyboard.press('Enter');
    await view.heading.filter({ hasText: person.name }).waitFor();

    await page.goto('/ui/terminal/session');
    await server.click();
    await view.heading.filter({ hasText: asset.name }).waitFor();
    await page.goto('/ui/terminal/session');
    await view.main
      .getByRole('tab', { name: view.say(terminalWords.online), exact: true })
      .waitFor();
  },
);

journey(
  'links a server to its sessions, its permissions, a new permission for it, and its terminal',
  async (open, { admin, sshd }) => {
    const { asset, rule } = await buildGranted(admin, sshd);
    const visitor = await open({ language: 'en' });
    const { page } = visitor;
    const view = new ConsolePage(visitor);
    await signIn(visitor, ADMIN, `/ui/assets/assets/${asset.id}`);
    // Nothing lets the administrator in; the button says so instead of opening a terminal.
    await view.button(assetWords.connect).and(page.locator('[aria-disabled="true"]')).waitFor();
    await page.getByRole('tab', { name: view.say(detail.access), exact: true }).click();
    await page.getByRole('tab', { name: view.say(assetWords.permissions), exact: true }).click();
    await view.row(rule.name).waitFor();
    await page.getByRole('tab', { name: view.say(detail.history), exact: true }).click();
    await page.getByRole('tab', { name: view.say(terminalWords.sessions), exact: true }).click();
    await view.main.getByText(view.say(terminalWords.emptySessions)).waitFor();
    await view.link(assetWords.grantAccess).click();
    await view.main.getByText(asset.name).first().waitFor();

    const { id, name } = await buildOwn(admin, sshd);
    await page.goto(`/ui/assets/assets/${id}`);
    const terminal = await visitor.windowFrom(() =>
      view.link(assetWords.connect).and(page.locator(':not([aria-disabled])')).click(),
    );
    await terminal.getByText(name).first().waitFor();
  },
);

/** A server that the administrator may connect to. */
async function buildOwn(admin: Client, sshd: TestSshd) {
  const [asset, account] = await Promise.all([
    buildAsset(admin, sshd),
    buildSystemUser(admin, sshd),
  ]);
  const { body } = await admin.get<{ id: string; name: string }>('users/profile/');
  await buildPermission(admin, [body], [asset], [account]);
  return asset;
}

journey(
  'describes a permission in a sentence, warns while it grants nothing, and extends and ends it on its page',
  async (open, { admin, sshd }) => {
    const { person, asset, account, rule } = await buildGranted(admin, sshd);
    await admin.patch(`perms/asset-permissions/${rule.id}/`, {
      date_expired: new Date(Date.now() + 86_400_000).toISOString(),
    });
    const visitor = await open({ language: 'en' });
    const { page } = visitor;
    const view = new ConsolePage(visitor);
    await signIn(
      visitor,
      ADMIN,
      `/ui/perms/asset-permissions/${rule.id}?activeTab=AssetPermissionDetail`,
    );
    await view.main
      .getByText(
        `${person.name} may connect to ${asset.name} as ${account.name}, upload and download, until`,
      )
      .waitFor();
    await view.button(`${view.say(permWords.extendBy)}: ${view.say(permWords.oneWeek)}`).click();
    await view.main.getByText('(8 days left)').waitFor();
    await view.button(`${view.say(permWords.endNow)}: ${view.say(permWords.end)}`).click();
    await view.dialog.getByRole('button', { name: view.say(permWords.end), exact: true }).click();
    await view.main.getByText('This permission grants nothing yet: it has expired.').waitFor();

    await page.getByRole('tab', { name: view.say(permWords.usersTab), exact: true }).click();
    await view
      .row(person.username)
      .getByText(view.say(permWords.direct), { exact: true })
      .waitFor();

    await page.goto('/ui/perms/asset-permissions/create');
    await view.main.getByText(view.say(permWords.sentenceWaits)).last().waitFor();
    await page.goto('/ui/perms/asset-permissions');
    await view.row(rule.name).getByRole('link', { name: person.name }).waitFor();
  },
);
