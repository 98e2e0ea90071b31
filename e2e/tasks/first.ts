import { systemUser } from '@sallyport/contract';
import { words as first } from '../../web/src/console/features/home/first/words.ts';
import { ConsolePage } from '../pages/console-page.ts';
import { TerminalPage } from '../pages/terminal-page.ts';
import type { Task } from './task.ts';

/** From an empty installation to work on a server. */
const firstShell: Task = {
  name: 'The first shell of an empty installation, with its language, time zone and address (from the dashboard)',
  target: 7,
  async prepare({ sshd, administrator, language }) {
    const visitor = await administrator('/ui/dashboard');
    const view = new ConsolePage(visitor);
    return async (hand) => {
      await hand.click(view.button(first.save));
      await view.main.getByText(view.say(first.saved), { exact: true }).waitFor();
      await hand.type(view.field(first.ip), sshd.host);
      await hand.type(view.field(first.port), String(sshd.port));
      await hand.type(view.field(first.username), sshd.username);
      await hand.paste(view.field(systemUser.fields.private_key.label), sshd.privateKey);
      const window = await visitor.windowFrom(() => hand.click(view.button(first.saveAndConnect)));
      await new TerminalPage(window, language, sshd.host).ready();
    };
  },
};

export const FIRST_TASKS: readonly Task[] = [firstShell];
