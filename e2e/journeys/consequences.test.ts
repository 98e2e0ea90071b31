import { say } from '@sallyport/contract';
import { expect } from 'vitest';
import { words as userWords } from '../../web/src/console/features/users/words.ts';
import { words as detail } from '../../web/src/console/resource/detail/words.ts';
import { words as list } from '../../web/src/console/resource/list/words.ts';
import { words as consequences } from '../../web/src/kit/consequences/words.ts';
import { common } from '../../web/src/kit/i18n/common.ts';
import { words as terminalWords } from '../../web/src/terminal/session/words.ts';
import { buildGranted, unique } from '../harness/build.ts';
import { useStage } from '../harness/journey.ts';
import { languageOfFile } from '../harness/language.ts';
import { ADMIN } from '../harness/server.ts';
import { ConsolePage } from '../pages/console-page.ts';
import { sessionsPage } from '../pages/sessions-page.ts';
import { signIn } from '../pages/sign-in-page.ts';
import { connectTo } from '../pages/terminal-page.ts';

const language = languageOfFile(import.meta.url);

const { journey } = useStage();

journey(
  'lists the sessions that end before a user is disabled, and undoes it',
  async (open, { admin, sshd }) => {
    const { person, asset } = await buildGranted(admin, sshd);
    const [visitor, guard] = [await open({ language }), await open({ language })];
    await signIn(visitor, person, '/luna/');
    const terminal = await connectTo(visitor.page, language, asset);
    await terminal.ready();

    await signIn(guard, ADMIN, `/ui/users/users/${person.id}`);
    const view = new ConsolePage(guard);
    const active = guard.page.getByRole('switch', { name: view.say(userWords.activate) });
    await active.press('Space');
    // One sign-in is the browser's, the other one was made with the account.
    await view.dialog
      .getByText(view.say(consequences.endsAccess, { signIns: 2, sessions: 1, keys: 0 }))
      .waitFor();
    await view.dialog.getByText(asset.name).waitFor();
    await view.dialog.getByRole('button', { name: view.say(common.cancel), exact: true }).click();
    expect(
      (await admin.get<{ is_active: boolean }>(`users/users/${person.id}/`)).body.is_active,
    ).toBe(true);

    // The keyboard is where it was.
    await expect
      .poll(() => active.evaluate((input) => input === document.activeElement))
      .toBe(true);
    await guard.page.keyboard.press('Space');
    await view.dialog.getByRole('button', { name: view.say(detail.disable), exact: true }).click();
    const undo = await view.holdUndo();
    await terminal.notice.waitFor();
    await expect
      .poll(
        async () =>
          (await admin.get<{ is_active: boolean }>(`users/users/${person.id}/`)).body.is_active,
      )
      .toBe(false);
    await undo.click();
    await view.notified(consequences.undone);
    expect(
      (await admin.get<{ is_active: boolean }>(`users/users/${person.id}/`)).body.is_active,
    ).toBe(true);
  },
);

journey('asks for the number of rows when more than fifty are deleted', async (open, { admin }) => {
  const name = unique('crowd');
  await admin.post(
    'assets/labels/',
    Array.from({ length: 51 }, (_, number) => ({ name, value: `v${number + 10}` })),
  );
  const visitor = await open({ language });
  const { page } = visitor;
  const view = new ConsolePage(visitor);
  await signIn(visitor, ADMIN, `/ui/assets/labels?search=${name}&size=100`);
  await page.getByRole('checkbox', { name: view.say(list.selectAll) }).check();
  let answer = () => {};
  const held = new Promise<void>((resolve) => {
    answer = resolve;
  });
  await page.route('**/perms/consequences/', async (route) => {
    await held;
    await route.continue();
  });
  await view.button(list.moreActions).click();
  await page.getByRole('menuitem', { name: view.say(list.deleteSelected) }).click();
  const typed = view.dialog.getByRole('textbox', {
    name: view.say(consequences.typeToConfirm, { phrase: '51' }),
  });
  const confirm = view.answerToMany('deleteMany');
  // The button waits for the consequences and ignores an earlier Enter.
  await confirm.press('Enter');
  await confirm.and(page.locator('[aria-busy="true"]')).locator('.mantine-Loader-root').waitFor();
  expect(await confirm.evaluate((button) => button === document.activeElement)).toBe(true);
  answer();
  await typed.fill('50');
  expect(await confirm.getAttribute('aria-disabled')).toBe('true');
  // The keyboard does not get past it either.
  await typed.press('Enter');
  expect((await admin.get<unknown[]>(`assets/labels/?name=${name}`)).body).toHaveLength(51);
  await typed.fill('51');
  // A dangerous answer pauses for a moment after the question opens.
  await confirm.and(page.locator(':not([aria-disabled])')).waitFor();
  await typed.press('Enter');
  await view.notified(list.bulkDeleteSuccess);
  expect((await admin.get<unknown[]>(`assets/labels/?name=${name}`)).body).toHaveLength(0);
});

journey(
  'tells a user why an administrator ended the session, and offers only to close it',
  async (open, { admin, sshd }) => {
    const { person, asset } = await buildGranted(admin, sshd);
    const [visitor, guard] = [await open({ language }), await open({ language })];
    await signIn(visitor, person, '/luna/');
    const terminal = await connectTo(visitor.page, language, asset);
    await terminal.ready();
    await signIn(guard, ADMIN, '/ui/terminal/session');
    const reason = unique('maintenance');
    await sessionsPage(guard).terminate(person.name, asset.name, reason);
    await terminal.notice.getByText(reason, { exact: false }).waitFor();
    const close = terminal.notice.getByRole('button', {
      name: say(terminalWords.closeTab, language),
      exact: true,
    });
    expect(await close.getAttribute('data-variant')).not.toBe('default');
    expect(await terminal.reconnect.getAttribute('data-variant')).toBe('default');
    await close.click();
    const { body } = await admin.get<{ results: { changes_display: unknown }[] }>(
      'audits/operate-logs/?limit=1&action=terminate',
    );
    expect(JSON.stringify(body.results[0])).toContain(reason);
  },
);
