import { changeAuthPlan, say } from '@sallyport/contract';
import { startPrivateHost } from '../../server/src/testing/hosts/private-host.ts';
import { words as assetWords } from '../../web/src/console/features/assets/list/words.ts';
import { words as planWords } from '../../web/src/console/features/change-auth/words.ts';
import { words as batchWords } from '../../web/src/console/features/ops/words.ts';
import { words as reportWords } from '../../web/src/console/resource/job/words.ts';
import { words as listWords } from '../../web/src/console/resource/list/words.ts';
import { common } from '../../web/src/kit/i18n/common.ts';
import { buildAsset, buildSystemUser, create, unique } from '../harness/build.ts';
import { addLicense } from '../harness/license.ts';
import { ConsolePage } from '../pages/console-page.ts';
import type { Task } from './task.ts';

/** One account gets a new password on five servers, once. */
const rotation: Task = {
  name: 'The password of an account is rotated on five servers (from the assets)',
  target: 8,
  async prepare({ server, admin, administrator, language, atEnd }) {
    await addLicense(server, admin);
    const rack = unique('rack');
    for (let count = 1; count <= 5; count += 1) {
      const host = await startPrivateHost();
      atEnd(() => host.stop());
      const keeper = await create(admin, 'assets/admin-users/', {
        name: unique('admin'),
        username: 'admin',
        password: host.passwords.admin,
      });
      const { id: asset } = await buildAsset(admin, host, {
        admin_user: keeper,
        hostname: `${rack}-${count}`,
      });
      const { plain: password } = host.passwords;
      await create(admin, 'assets/asset-users/', { asset, username: 'plain', password });
    }
    const visitor = await administrator('/ui/assets/assets');
    const { page } = visitor;
    const view = new ConsolePage(visitor);
    return async (hand) => {
      await hand.type(
        page.getByRole('combobox', { name: view.say(listWords.searchPlaceholder), exact: true }),
        rack,
      );
      await hand.press(page, 'Enter');
      // Only the found rows are left to select.
      await page.getByText(say(listWords.total, language, { count: 5 }), { exact: true }).waitFor();
      await hand.click(page.getByRole('checkbox', { name: view.say(listWords.selectAll) }));
      await hand.click(page.getByRole('button', { name: view.say(assetWords.rotate) }));
      await hand.type(view.field(changeAuthPlan.fields.username.label), 'plain');
      await hand.click(page.getByRole('option', { name: 'plain' }).first());
      await page.getByText(view.say(planWords.allReady, { count: 5 })).waitFor();
      await hand.click(view.button(common.submit));
      await hand.click(view.dialog.getByRole('button', { name: view.say(planWords.execute) }));
      await page.waitForURL((url) => url.pathname.startsWith('/ui/jobs/jobs/'));
      await page.getByText(view.say(reportWords.allSucceeded, { count: 5 })).waitFor();
    };
  },
};

/** A command runs on twenty servers in stages. */
const canary: Task = {
  name: 'A command runs on twenty servers in stages (from the batch command)',
  target: 6,
  async prepare({ admin, administrator, sshd, language }) {
    const me = (await admin.get<{ readonly id: string }>('users/profile/')).body;
    const account = await buildSystemUser(admin, sshd);
    const fleet = unique('fleet');
    const assets: string[] = [];
    for (let count = 1; count <= 20; count += 1)
      assets.push((await buildAsset(admin, sshd, { hostname: `${fleet}-${count}` })).id);
    await create(admin, 'perms/asset-permissions/', {
      name: unique('batch'),
      users: [me.id],
      assets,
      system_users: [account.id],
    });
    const visitor = await administrator('/ui/ops/command-executions/create');
    const { page } = visitor;
    const view = new ConsolePage(visitor);
    return async (hand) => {
      await hand.type(page.getByRole('searchbox'), fleet);
      await hand.click(
        page.getByRole('checkbox', { name: say(batchWords.selectFound, language, { count: 20 }) }),
      );
      await hand.click(page.getByRole('checkbox', { name: view.say(batchWords.stepByStep) }));
      await hand.type(page.getByRole('textbox', { name: view.say(batchWords.command) }), 'uptime');
      await hand.press(page, 'Control+Enter');
      await hand.click(view.dialog.getByRole('button', { name: view.say(batchWords.run) }));
      await page.getByText(view.say(batchWords.finishedOf, { done: 20, total: 20 })).waitFor();
    };
  },
};

export const WORK_TASKS: readonly Task[] = [rotation, canary];
