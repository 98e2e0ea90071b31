import { say } from '@sallyport/contract';
import { words } from '../../web/src/console/features/sessions/words.ts';
import type { Visitor } from '../harness/browser.ts';
import { heardMessage } from '../harness/messages.ts';

/** The page of the sessions in the console. */
export const sessionsPage = (visitor: Visitor) => {
  const { page, language } = visitor;
  const row = (user: string, asset: string) =>
    page.getByRole('row').filter({ hasText: user }).filter({ hasText: asset });
  const button = (words: Parameters<typeof say>[0]) =>
    page.getByRole('button', { name: say(words, language) });
  return {
    row,
    /** Chooses online or past sessions. */
    tab: (name: 'online' | 'history') =>
      page.getByRole('tab', { name: say(words[name], language), exact: true }).click(),
    /**
     * Ends a session with a reason, after the confirmation; `alsoDisables` disables its user, too.
     */
    async terminate(user: string, asset: string, reason = '', alsoDisables = false): Promise<void> {
      await row(user, asset)
        .getByRole('button', { name: say(words.terminate, language) })
        .click();
      if (reason)
        await page.getByRole('dialog').getByLabel(say(words.reason, language)).fill(reason);
      if (alsoDisables)
        await page
          .getByRole('dialog')
          .getByRole('checkbox', { name: say(words.alsoDisable, language, { user: '' }).trim() })
          .check();
      await page
        .getByRole('dialog')
        .getByRole('button', {
          name: say(words.endSessions, language, { count: 1 }),
          exact: true,
        })
        .click();
      await heardMessage(page, say(words.terminateSent, language));
    },
    /** Watches a session in its own window. */
    watch: (user: string, asset: string) =>
      visitor.windowFrom(() =>
        row(user, asset)
          .getByRole('link', { name: say(words.monitor, language) })
          .click(),
      ),
    /** Replays a session in its own window. */
    replay: (user: string, asset: string) =>
      visitor.windowFrom(() =>
        row(user, asset)
          .getByRole('link', { name: say(words.replay, language) })
          .click(),
      ),
    button,
  };
};
