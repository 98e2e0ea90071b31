import { asset } from '@sallyport/contract';
import { expect } from 'vitest';
import { words as bulk } from '../../web/src/console/resource/bulk/words.ts';
import { words as list } from '../../web/src/console/resource/list/words.ts';
import { common } from '../../web/src/kit/i18n/common.ts';
import { unique } from '../harness/build.ts';
import { useStage } from '../harness/journey.ts';
import { languageOfFile } from '../harness/language.ts';
import { heardMessage } from '../harness/messages.ts';
import { withoutNews } from '../harness/news.ts';
import { ADMIN } from '../harness/server.ts';
import { ConsolePage } from '../pages/console-page.ts';
import { signIn } from '../pages/sign-in-page.ts';

const language = languageOfFile(import.meta.url);

const { journey } = useStage();

const SAID = {
  zh: {
    question: '将删除 17 个标签。',
    deleted: '批量删除成功',
    updated: '更新成功',
    unknown: '不存在',
  },
  en: {
    question: 'This deletes 17 labels.',
    deleted: 'Deleted',
    updated: 'Update success',
    unknown: 'does not exist',
  },
} as const;

journey('keeps a selection across pages, and deletes it at once', async (open, { admin }) => {
  const name = unique('many');
  await admin.post(
    'assets/labels/',
    Array.from({ length: 20 }, (_, number) => ({ name, value: `v${number + 10}` })),
  );
  const visitor = await open({ language });
  const { page } = visitor;
  const view = new ConsolePage(visitor);
  await signIn(visitor, ADMIN, `/ui/assets/labels?search=${name}&order=value`);
  await page.getByRole('checkbox', { name: view.say(list.selectAll) }).check();
  await page.getByRole('button', { name: view.say(list.page, { page: 2 }), exact: true }).click();
  await view.row('v25').getByRole('checkbox').check();
  await view.row('v26').getByRole('checkbox').check();
  await page.getByText(view.say(list.selected, { count: 17 })).waitFor();
  await expect
    .poll(() =>
      page
        .getByRole('checkbox', { name: view.say(list.selectAll) })
        .evaluate((box) => (box as HTMLInputElement).indeterminate),
    )
    .toBe(true);

  await view.button(list.moreActions).click();
  await page.getByRole('menuitem', { name: view.say(list.deleteSelected) }).click();
  await view.dialog.getByText(SAID[language].question).waitFor();
  const sent = page.waitForRequest((request) => request.method() === 'DELETE');
  await view.answerToMany('deleteMany').click();
  expect(new URL((await sent).url()).searchParams.get('spm')).toBeTruthy();
  await heardMessage(page, SAID[language].deleted);
  await expect.poll(() => view.rows.count()).toBe(3);
  const { body } = await admin.get<{ value: string }[]>(`assets/labels/?name=${name}`);
  expect(body.map(({ value }) => value).sort()).toEqual(['v27', 'v28', 'v29']);
});

journey(
  'selects all matching rows at once, and announces those on other pages',
  async (open, { admin }) => {
    const name = unique('match');
    await admin.post(
      'assets/labels/',
      Array.from({ length: 20 }, (_, number) => ({ name, value: `v${number + 10}` })),
    );
    const visitor = await open({ language });
    const { page } = visitor;
    const view = new ConsolePage(visitor);
    await signIn(visitor, ADMIN, `/ui/assets/labels?search=${name}&order=value`);
    await page.getByRole('checkbox', { name: view.say(list.selectAll) }).check();
    const bar = page.getByRole('region', { name: view.say(list.selection) });
    await bar.getByRole('button', { name: view.say(list.selectMatching, { count: 20 }) }).click();
    await bar.getByText(view.say(list.selected, { count: 20 })).waitFor();
    await bar.getByText(view.say(list.notOnPage, { count: 5 })).waitFor();
    await bar.getByRole('button', { name: view.say(common.show) }).click();
    await page
      .getByRole('button', { name: view.say(list.deselect, { name }) })
      .last()
      .click();
    await bar.getByText(view.say(list.selected, { count: 19 })).waitFor();
    await page.keyboard.press('Escape');
    // The bar stays in sight, wherever the list is scrolled to.
    await view.rows.last().scrollIntoViewIfNeeded();
    const covered = () =>
      bar.evaluate(
        (element) =>
          element.getBoundingClientRect().top <
          (document.querySelector('[data-top-area]')?.getBoundingClientRect().bottom ?? 0) - 1,
      );
    await expect.poll(covered).toBe(false);
    await bar.getByRole('button', { name: view.say(list.deleteSelected) }).click();
    await view.answerToMany('deleteMany').click();
    await view.notified(list.bulkDeleteSuccess);
    expect((await admin.get<unknown[]>(`assets/labels/?name=${name}`)).body).toHaveLength(1);
    await bar.waitFor({ state: 'detached' });
  },
);

journey(
  'changes only the ticked fields in a bulk update, and shows an error under its field',
  async (open, { admin }) => {
    const start = unique('bulk');
    const created = await admin.post<{ id: string }[]>(
      'assets/assets/',
      ['a', 'b'].map((end) => ({
        hostname: `${start}-${end}`,
        ip: '192.0.2.9',
        protocols: ['ssh/22'],
        platform: 'Linux',
        comment: `kept ${end}`,
      })),
    );
    expect(created.status).toBe(201);
    const visitor = await open({ language });
    const { page } = visitor;
    // Otherwise the page would receive the deletion of the row as a live update.
    await withoutNews(page);
    const view = new ConsolePage(visitor);
    await signIn(visitor, ADMIN, `/ui/assets/assets?search=${start}`);
    await page.getByRole('checkbox', { name: view.say(list.selectAll) }).check();
    await view.button(list.moreActions).click();
    await page.getByRole('menuitem', { name: view.say(bulk.updateSelected) }).click();
    const tick = (text: string) => view.dialog.getByRole('checkbox', { name: text, exact: true });
    const [platform, comment] = [
      asset.fields.platform.label[language],
      asset.fields.comment.label[language],
    ];
    const confirm = view.answerToMany('updateMany');
    await tick(platform).waitFor();
    expect(await confirm.isDisabled()).toBe(true);

    // A value stays when its tick goes and comes again.
    await tick(comment).check();
    await view.dialog.getByRole('textbox', { name: comment }).fill('written once');
    await tick(comment).uncheck();
    await tick(platform).check();
    await tick(comment).check();
    expect(await view.dialog.getByRole('textbox', { name: comment }).inputValue()).toBe(
      'written once',
    );
    await tick(comment).uncheck();

    // Required and empty: nothing is sent.
    await confirm.click();
    await view.dialog.getByText(view.say(common.required)).waitFor();
    const choice = view.dialog.getByRole('combobox', { name: platform });
    await choice.click();
    await choice.fill('Unix');
    await page.getByRole('option', { name: 'Unix', exact: true }).click();
    const sent = page.waitForRequest(
      (request) => request.method() === 'PATCH' && request.url().includes('/assets/assets/'),
    );
    await confirm.click();
    const body = (await sent).postDataJSON() as Record<string, unknown>[];
    expect(body).toHaveLength(2);
    expect(body.map((row) => Object.keys(row).sort())).toEqual([
      ['id', 'platform'],
      ['id', 'platform'],
    ]);
    await heardMessage(page, SAID[language].updated);
    const stored = await admin.get<{ platform: string; comment: string }[]>(
      `assets/assets/?search=${start}&order=hostname`,
    );
    expect(stored.body.map((row) => [row.platform, row.comment])).toEqual([
      ['Unix', 'kept a'],
      ['Unix', 'kept b'],
    ]);

    // Another administrator deletes a row: the refusal names it, no row changes, the dialog stays
    // open.
    await admin.delete(`assets/assets/${created.body[0]?.id}/`);
    visitor.watch.allow(/^400 PATCH/);
    await view.button(list.moreActions).click();
    await page.getByRole('menuitem', { name: view.say(bulk.updateSelected) }).click();
    await tick(comment).check();
    await view.dialog.getByRole('textbox', { name: comment }).fill('never');
    await confirm.click();
    await view.dialog.getByRole('alert').getByText(SAID[language].unknown).waitFor();
    expect(
      (await admin.get<{ comment: string }>(`assets/assets/${created.body[1]?.id}/`)).body.comment,
    ).toBe('kept b');
  },
);

journey('scrolls and selects a hundred rows', async (open, { admin }) => {
  const name = unique('hundred');
  await admin.post(
    'assets/labels/',
    Array.from({ length: 100 }, (_, number) => ({ name, value: `v${number}` })),
  );
  const visitor = await open({ language: 'en' });
  const { page } = visitor;
  const view = new ConsolePage(visitor);
  await signIn(visitor, ADMIN, `/ui/assets/labels?search=${name}&size=100`);
  await expect.poll(() => view.rows.count()).toBe(100);
  for (let step = 0; step < 20; step++) await page.mouse.wheel(0, 200);
  const boxes = page.getByRole('checkbox', { name: view.say(list.selectRow, { name }) });
  for (const index of [99, 50, 98]) await boxes.nth(index).check();
  await page.getByText(view.say(list.selected, { count: 3 })).waitFor();
});
