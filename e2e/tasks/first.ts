import { asset, systemUser } from '@sallyport/contract';
import { words as home } from '../../web/src/console/features/home/words.ts';
import { common } from '../../web/src/kit/i18n/common.ts';
import { ConsolePage } from '../pages/console-page.ts';
import { TerminalPage } from '../pages/terminal-page.ts';
import type { Task } from './task.ts';

/** From an empty installation to work on a server. */
const firstShell: Task = {
  name: 'A new administrator adds a server, an account and a permission, and opens a shell (from the dashboard)',
  target: 10,
  async prepare({ sshd, administrator, language }) {
    const visitor = await administrator('/ui/dashboard');
    const { page } = visitor;
    const view = new ConsolePage(visitor);
    const guide = page.getByRole('region', { name: view.say(home.journey) });
    // Names as people choose them; the installation is empty.
    const [server, account] = ['web-1', 'root'];
    return async (hand) => {
      const step = async (name: string, role: 'link' | 'button' = 'link') =>
        hand.click(guide.getByRole(role, { name }));
      const submit = async () => {
        await hand.press(page, 'Enter');
        await view.notified(common.createSuccess);
      };
      await step(view.say(home.stepServer));
      await hand.type(view.field(asset.fields.hostname.label), server);
      await hand.type(view.field(asset.fields.ip.label), sshd.host);
      await hand.type(page.getByRole('textbox', { name: /^ssh / }), String(sshd.port));
      await submit();
      await step(view.say(home.stepAccount));
      await hand.type(view.field(systemUser.fields.name.label), account);
      await hand.type(view.field(systemUser.fields.username.label), sshd.username);
      await hand.paste(view.field(systemUser.fields.private_key.label), sshd.privateKey);
      await hand.click(view.button(common.submit));
      await view.notified(common.createSuccess);
      await step(view.say(home.stepRule), 'button');
      // The form is prefilled with the new objects, for the administrator.
      await view.main.getByText(server).first().waitFor();
      await hand.press(page, 'Control+Enter');
      await view.notified(common.createSuccess);
      const window = await visitor.windowFrom(() => step(view.say(home.stepConnect)));
      await hand.click(window.getByRole('treeitem').filter({ hasText: server }));
      await new TerminalPage(window, language, server).ready();
    };
  },
};

export const FIRST_TASKS: readonly Task[] = [firstShell];
