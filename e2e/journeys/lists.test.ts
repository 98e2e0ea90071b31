import { domain, label } from '@sallyport/contract';
import { expect } from 'vitest';
import { words as form } from '../../web/src/console/resource/form/words.ts';
import { words as list } from '../../web/src/console/resource/list/words.ts';
import { common } from '../../web/src/kit/i18n/common.ts';
import { unique } from '../harness/build.ts';
import { useStage } from '../harness/journey.ts';
import { ADMIN } from '../harness/server.ts';
import { ConsolePage } from '../pages/console-page.ts';
import { signIn } from '../pages/sign-in-page.ts';

const { journey } = useStage();

const SAID = {
  zh: { delete: '你确定要删除', deleted: '删除成功', unique: '字段必须唯一。', created: '创建成功', updated: '更新成功', required: '这个字段是必填项' },
  en: {
    delete: 'Are you sure to delete',
    deleted: 'Delete success',
    unique: 'This field must be unique.',
    created: 'Create success',
    updated: 'Update success',
    required: 'This field is required',
  },
} as const;

journey('search, order and page of a list are in the address, and survive a reload and the way back', async (open, { admin }) => {
  const color = unique('color');
  for (let number = 10; number < 32; number++) expect((await admin.post('assets/labels/', { name: color, value: `v${number}` })).status).toBe(201);
  const visitor = await open({ language: 'en' });
  const { page } = visitor;
  const view = new ConsolePage(visitor);
  await signIn(visitor, ADMIN, '/ui/assets/labels');
  await view.search(color);
  await expect.poll(() => view.rows.count()).toBe(15);
  await page.getByText('22 in total').waitFor();
  await page.getByRole('button', { name: view.say(list.sortBy, { name: 'Value' }) }).click();
  await page.getByRole('button', { name: view.say(list.sortBy, { name: 'Value' }) }).click();
  await view.rows.first().getByText('v31').waitFor();
  await page.getByRole('button', { name: view.say(list.page, { page: 2 }), exact: true }).click();
  await expect.poll(() => view.rows.count()).toBe(7);
  expect(Object.fromEntries(new URL(page.url()).searchParams)).toEqual({ search: color, order: '-value', page: '2' });

  await page.reload();
  await view.rows.first().getByText('v16').waitFor();
  // Away to one of its objects, and back by the browser's own button.
  await view.rows
    .first()
    .getByRole('button', { name: view.say(common.update) })
    .click();
  await page.waitForURL(/\/update$/);
  await page.goBack();
  await view.rows.first().getByText('v16').waitFor();

  // Narrowing begins at the first page again; clearing shows everything.
  await view.search('nothing has this name');
  await page.getByText(view.say(list.nothingFound)).waitFor();
  expect(new URL(page.url()).searchParams.has('page')).toBe(false);
  await view.button(list.clearFilters).last().click();
  await expect.poll(() => view.rows.count()).toBe(15);
});

for (const language of ['zh', 'en'] as const) {
  journey(`deleting asks in the words of the specification, with a red button; several go at once (${language})`, async (open, { admin }) => {
    const names = [unique('domain'), unique('domain'), unique('domain')];
    for (const name of names) await admin.post('assets/domains/', { name });
    const [first = '', second = '', third = ''] = names;
    const visitor = await open({ language });
    const { page } = visitor;
    const view = new ConsolePage(visitor);
    await signIn(visitor, ADMIN, '/ui/assets/domains');
    await view
      .row(first)
      .getByRole('button', { name: view.say(common.delete) })
      .click();
    await view.dialog.getByText(`${SAID[language].delete} "${first}" ?`).waitFor();
    const confirm = view.dialog.getByRole('button', { name: view.say(common.delete), exact: true });
    const [red = 0, green = 0, blue = 0] = (await confirm.evaluate((element) => getComputedStyle(element).backgroundColor)).match(/\d+/g)?.map(Number) ?? [];
    expect(red).toBeGreaterThan(2 * Math.max(green, blue));
    await view.dialog.getByRole('button', { name: view.say(common.cancel) }).click();
    await view.row(first).waitFor();

    await view
      .row(first)
      .getByRole('button', { name: view.say(common.delete) })
      .click();
    await confirm.click();
    await page.getByText(SAID[language].deleted, { exact: true }).waitFor();
    await view.row(first).waitFor({ state: 'detached' });

    for (const name of [second, third]) await page.getByRole('checkbox', { name: view.say(list.selectRow, { name }) }).check();
    await page.getByText(view.say(list.selected, { count: 2 })).waitFor();
    await view.button(list.moreActions).click();
    await page.getByRole('menuitem', { name: view.say(list.deleteSelected) }).click();
    await view.dialog.getByRole('button', { name: view.say(common.delete), exact: true }).click();
    await view.row(second).waitFor({ state: 'detached' });
    await view.row(third).waitFor({ state: 'detached' });
    expect((await admin.get<unknown[]>(`assets/domains/?name=${second}`)).body).toEqual([]);
  });

  journey(
    `a form shows what is missing and what the server refuses on the fields, and warns before changes are lost (${language})`,
    async (open, { admin }) => {
      const taken = unique('domain');
      await admin.post('assets/domains/', { name: taken });
      const visitor = await open({ language });
      const { page } = visitor;
      const view = new ConsolePage(visitor);
      await signIn(visitor, ADMIN, '/ui/assets/domains/create');
      const name = view.field(domain.fields.name.label);
      await name.waitFor();
      await view.submit();
      await page.getByText(SAID[language].required).waitFor();

      visitor.watch.allow(/^400 POST \/api\/v1\/assets\/domains\//);
      await name.fill(taken);
      await view.submit();
      await view.main.getByText(SAID[language].unique).waitFor();
      expect(await name.getAttribute('aria-invalid')).toBe('true');

      await name.fill(`${taken}-2`);
      await view.menu.getByRole('link', { name: language === 'zh' ? '标签管理' : 'Labels', exact: true }).click();
      await view.dialog.getByText(view.say(form.leaveText)).waitFor();
      await view.dialog.getByRole('button', { name: view.say(form.stay) }).click();
      expect(await name.inputValue()).toBe(`${taken}-2`);
      await view.submit();
      await page.getByText(SAID[language].created, { exact: true }).waitFor();
      await view
        .row(`${taken}-2`)
        .getByRole('button', { name: view.say(common.update) })
        .click();
      await view.field(domain.fields.comment.label).fill('changed');
      await view.submit();
      await page.getByText(SAID[language].updated, { exact: true }).waitFor();
      await view.row(`${taken}-2`).getByText('changed').waitFor();

      await page.goto('/ui/assets/labels/create');
      await view.field(label.fields.name.label).fill('given up');
      await view.menu.getByRole('link', { name: language === 'zh' ? '网域列表' : 'Domains', exact: true }).click();
      await view.dialog.getByRole('button', { name: view.say(form.leave), exact: true }).click();
      await page.waitForURL(/\/ui\/assets\/domains/);
    },
  );
}
