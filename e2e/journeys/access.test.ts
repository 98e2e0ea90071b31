import { readFileSync } from 'node:fs';
import pg from 'pg';
import { expect } from 'vitest';
import { unzip } from '../../server/src/testing/unzip.ts';
import { words } from '../../web/src/console/features/access/words.ts';
import { words as homeWords } from '../../web/src/console/features/home/words.ts';
import {
  REMOVE_TEXTS,
  words as unused,
} from '../../web/src/console/features/perms/unused/words.ts';
import { words as detail } from '../../web/src/console/resource/detail/words.ts';
import { words as transfer } from '../../web/src/console/resource/transfer/words.ts';
import { words as consequences } from '../../web/src/kit/consequences/words.ts';
import { common } from '../../web/src/kit/i18n/common.ts';
import { problemsOf } from '../harness/axe.ts';
import { buildAsset, buildGranted, buildPermission, buildPerson } from '../harness/build.ts';
import { useOwnServer } from '../harness/journey.ts';
import { ADMIN } from '../harness/server.ts';
import { ConsolePage } from '../pages/console-page.ts';
import { signIn } from '../pages/sign-in-page.ts';

const { journey } = useOwnServer();

journey(
  'explains to an administrator who reaches a server, what a user reaches, and why a user does not',
  async (open, { admin, sshd }) => {
    const { person, asset, account, rule } = await buildGranted(admin, sshd);
    const stranger = await buildPerson(admin);
    const other = await buildAsset(admin, sshd);
    const ended = await buildPermission(admin, [person], [other], [account], {
      date_start: '2026-01-01 08:00:00 +0800',
      date_expired: '2026-01-02 08:00:00 +0800',
    });
    const visitor = await open({ language: 'en' });
    const { page } = visitor;
    const view = new ConsolePage(visitor);
    await signIn(visitor, ADMIN, `/ui/assets/assets/${asset.id}?activeTab=AssetAccess`);

    const reason = view.row(person.name);
    await reason.getByRole('link', { name: rule.name, exact: true }).waitFor();
    await reason.getByText(account.name, { exact: true }).waitFor();

    await view.choose(words.chooseUser, stranger.username);
    await view.main.getByText(view.say(words.no), { exact: true }).waitFor();
    const nearest = view.main
      .getByRole('listitem')
      .filter({ hasText: 'Does not include this user' });
    await nearest.getByRole('link', { name: rule.name, exact: true }).waitFor();

    // From the user's side, by the link of the list.
    await reason.getByRole('link', { name: person.name, exact: true }).click();
    await view.heading.filter({ hasText: person.name }).waitFor();
    await page.getByRole('tab', { name: view.say(detail.access), exact: true }).click();
    await view.row(asset.name).getByRole('link', { name: rule.name, exact: true }).waitFor();
    // The same as a tree, and as a workbook.
    await page.getByText(view.say(words.tree), { exact: true }).click();
    const branch = view.main.getByRole('button', {
      name: view.say(words.showBranch, { name: view.say(words.namesAssets) }),
      exact: true,
    });
    await branch.click();
    await view.main
      .getByRole('list')
      .getByRole('link', { name: asset.name, exact: true })
      .waitFor();
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: view.say(transfer.saveXlsx), exact: true }).click(),
    ]);
    expect(unzip(readFileSync(await file.path())).get('xl/worksheets/sheet1.xml')).toContain(
      asset.name,
    );
    await view.choose(words.chooseAsset, other.name);
    const over = view.main.getByRole('listitem').filter({ hasText: 'Ended on' });
    await over.getByRole('link', { name: ended.name, exact: true }).waitFor();
    await view.choose(words.chooseAsset, asset.name);
    await view.main.getByText(view.say(words.yes), { exact: true }).waitFor();

    // The list says each permission as a sentence, and any user and asset can be tried.
    await page.goto(`/ui/perms/asset-permissions?search=${rule.name}`);
    const sentence = view.row(rule.name);
    for (const name of [person.name, asset.name, account.name])
      await sentence.getByRole('link', { name, exact: true }).waitFor();
    await view.button(words.tryIt).click();
    expect(await problemsOf(page, 'access check of any user')).toEqual([]);
    for (const [label, name] of [
      [words.chooseUser, stranger.username],
      [words.chooseAsset, asset.name],
    ] as const) {
      const field = view.field(label, view.dialog).and(page.getByRole('combobox'));
      await field.click();
      await field.fill(name);
      await page.getByRole('option', { name }).first().click();
    }
    await view.dialog.getByText(view.say(words.no), { exact: true }).waitFor();
    await view.dialog.getByRole('link', { name: view.say(words.grantAccess) }).click();
    await page.waitForURL(/asset-permissions\/create\?/);
    for (const name of [stranger.name, asset.name])
      await view.main.getByText(name).first().waitFor();
  },
);

journey(
  'finds unused access for an administrator, who ends and removes it',
  async (open, { admin, server, sshd }) => {
    const { person, asset, account, rule } = await buildGranted(admin, sshd);
    const idle = await buildPerson(admin);
    await admin.post('perms/asset-permissions-users-relations/', [
      { assetpermission: rule.id, user: idle.id },
    ]);
    const forgotten = await buildPermission(
      admin,
      [idle],
      [await buildAsset(admin, sshd)],
      [account],
    );
    // Both permissions are a year old, and one of the users worked yesterday.
    const database = new pg.Client(server.databaseUrl);
    await database.connect();
    await database.query(
      "update asset_permission set date_start = now() - interval '1 year', date_created = now() - interval '1 year' where id = any ($1)",
      [[rule.id, forgotten.id]],
    );
    await database.query(
      "update asset_permission_users set date_added = now() - interval '1 year' where asset_permission_id = $1",
      [rule.id],
    );
    await database.query(
      `insert into session ("user", asset, "system_user", user_id, asset_id, system_user_id, is_finished, date_start)
     values ($1, $2, $3, $4, $5, $6, true, now() - interval '1 day')`,
      [person.name, asset.name, account.name, person.id, asset.id, account.id],
    );
    await database.end();

    const visitor = await open({ language: 'en' });
    const { page } = visitor;
    const view = new ConsolePage(visitor);
    await signIn(visitor, ADMIN, '/ui/dashboard');
    await page
      .getByRole('link', { name: view.say(homeWords.unusedPermissions, { count: 1 }), exact: true })
      .click();
    const whole = view.row(forgotten.name);
    await whole.getByText(view.say(unused.whole), { exact: true }).waitFor();
    await expect.poll(() => view.rows.count()).toBe(1);

    // On a date, with what follows from it.
    await whole.getByRole('button', { name: view.say(unused.endOn) }).click();
    await view.dialog.getByText(view.say(words.whatIf), { exact: true }).waitFor();
    await view.dialog.getByRole('button', { name: view.say(unused.setEnd), exact: true }).click();
    await whole.getByText('in 7 days').waitFor();
    await whole.getByRole('button', { name: view.say(unused.deleteRule) }).click();
    await view.dialog.getByText(idle.name).first().waitFor();
    await view.dialog.getByRole('button', { name: view.say(common.delete), exact: true }).click();
    await whole.waitFor({ state: 'detached' });
    expect((await admin.get(`perms/asset-permissions/${forgotten.id}/`)).status).toBe(404);

    // The other permission is used, by one of its users.
    await page.goto('/ui/perms/unused-access');
    const member = view.row(idle.name);
    await member.getByRole('button', { name: view.say(REMOVE_TEXTS.user) }).click();
    await view.dialog.getByRole('button', { name: view.say(common.remove), exact: true }).click();
    const undo = await view.holdUndo();
    await member.waitFor({ state: 'detached' });
    const users = async () =>
      (
        await admin.get<{ users: string[] }>(`perms/asset-permissions/${rule.id}/`)
      ).body.users.toSorted();
    expect(await users()).toEqual([person.id]);
    await undo.click();
    await view.notified(consequences.undone);
    expect(await users()).toEqual([idle.id, person.id].toSorted());

    await page.goto(`/ui/perms/asset-permissions/${rule.id}`);
    await view.main
      .getByText(view.say(unused.usedByOf, { users: 1, named: 2, days: 90 }), { exact: true })
      .waitFor();
  },
);
