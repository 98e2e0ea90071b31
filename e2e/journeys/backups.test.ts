import { SETTING_CATEGORIES } from '@sallyport/contract';
import { expect } from 'vitest';
import { words } from '../../web/src/console/features/backups/words.ts';
import { problemsOf } from '../harness/axe.ts';
import { useOwnServer } from '../harness/journey.ts';
import { languageOfFile } from '../harness/language.ts';
import { heardMessage } from '../harness/messages.ts';
import { ADMIN } from '../harness/server.ts';
import { ConsolePage } from '../pages/console-page.ts';
import { signIn } from '../pages/sign-in-page.ts';

const language = languageOfFile(import.meta.url);

const { journey } = useOwnServer();

const { BACKUP_ENABLED, BACKUP_HOUR } = SETTING_CATEGORIES.backup.fields;

/** A backup and a drill start and stop programs of PostgreSQL. */
const DONE = { timeout: 120_000 };

journey(
  'schedules backups, makes one now, and restores it in a drill',
  async (open) => {
    const visitor = await open({ language });
    const { page } = visitor;
    const view = new ConsolePage(visitor);
    await signIn(visitor, ADMIN, '/ui/backups');
    await view.main.getByText(view.say(words.off), { exact: true }).waitFor();
    expect(await view.button(words.start).isDisabled()).toBe(true);
    await view.main.getByRole('link', { name: view.say(words.settings) }).click();
    await view.main.getByRole('switch', { name: view.say(BACKUP_ENABLED.label) }).check();
    await view.field(BACKUP_HOUR.label).fill('3');
    await view.submit();
    await heardMessage(page, language === 'zh' ? '更新成功' : 'Update success');

    await page.goto('/ui/backups');
    await view.main.getByText(view.say(words.on), { exact: true }).waitFor();
    await view.main.getByText(view.say(words.everyDaysAt, { count: 1, hour: '03' })).waitFor();
    await view.button(words.backUp).click();
    await view.main
      .getByRole('listitem')
      .filter({ hasText: view.say(words.bySchedule) })
      .waitFor(DONE);
    await view.button(words.start).click();
    await view.main.getByText(view.say(words.passed), { exact: true }).waitFor(DONE);
    expect(await problemsOf(page, 'backups')).toEqual([]);
  },
  300_000,
);
