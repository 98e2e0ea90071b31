import { say, systemUser, systemUserPush } from '@sallyport/contract';
import { startPrivateHost } from '../../server/src/testing/hosts/private-host.ts';
import { words } from '../../web/src/console/features/assets/push/words.ts';
import { words as jobWords } from '../../web/src/console/resource/job/words.ts';
import { common } from '../../web/src/kit/i18n/common.ts';
import { buildAsset, create, unique } from '../harness/build.ts';
import { ConsolePage } from '../pages/console-page.ts';
import type { Task } from './task.ts';

/** A password that people share through a system user is changed on its servers, and tried. */
const sharedPassword: Task = {
  name: 'A shared password is changed on its servers, and tested (from the page of the system user)',
  target: 6,
  async prepare({ admin, administrator, language, atEnd }) {
    const host = await startPrivateHost();
    atEnd(() => host.stop());
    const keeper = await create(admin, 'assets/admin-users/', {
      name: unique('admin'),
      username: 'admin',
      password: host.passwords.admin,
    });
    const asset = await buildAsset(admin, host, { admin_user: keeper });
    const account = await create(admin, 'assets/system-users/', {
      name: unique('shared'),
      username: 'shared',
      login_mode: 'auto',
      protocol: 'ssh',
      auto_push: true,
      password: 'The first password 1',
    });
    await create(admin, 'perms/asset-permissions/', {
      name: unique('rule'),
      assets: [asset.id],
      system_users: [account],
    });
    const visitor = await administrator(`/ui/assets/system-users/${account}`);
    const { page } = visitor;
    const view = new ConsolePage(visitor);
    const pushed =
      systemUserPush.fields.state.choices.find(({ value }) => value === 'done')?.label[language] ??
      '';
    return async (hand) => {
      await hand.click(view.button(common.update).first());
      await hand.type(view.field(systemUser.fields.password.label), 'The second password 2');
      await hand.click(view.button(common.submit));
      await view.notified(common.updateSuccess);
      await hand.click(view.row('shared').getByRole('link', { name: 'shared' }).first());
      await hand.click(page.getByRole('tab', { name: view.say(words.pushes), exact: true }));
      await view.row(asset.name).getByText(pushed, { exact: true }).waitFor();
      await hand.click(view.button(words.testAccount));
      await page.getByText(say(jobWords.allSucceeded, language, { count: 1 })).waitFor();
    };
  },
};

export const PASSWORD_TASKS: readonly Task[] = [sharedPassword];
