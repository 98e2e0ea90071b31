import { asset, FIELD_ERRORS, label, loginLog, systemUser } from '@sallyport/contract';
import { expect } from 'vitest';
import { words as columns } from '../../web/src/console/resource/columns/words.ts';
import { words as detail } from '../../web/src/console/resource/detail/words.ts';
import { words as form } from '../../web/src/console/resource/form/words.ts';
import { words as list } from '../../web/src/console/resource/list/words.ts';
import { common } from '../../web/src/kit/i18n/common.ts';
import { buildPerson, create, unique } from '../harness/build.ts';
import { useOwnServer } from '../harness/journey.ts';
import { languageOfFile } from '../harness/language.ts';
import { heardMessage } from '../harness/messages.ts';
import { ADMIN } from '../harness/server.ts';
import { ConsolePage } from '../pages/console-page.ts';
import { signIn } from '../pages/sign-in-page.ts';

const language = languageOfFile(import.meta.url);

const { journey } = useOwnServer();

journey(
  'moves through a table with arrow keys, from its heading to its last row',
  async (open, { admin }) => {
    const name = unique('walk');
    await admin.post(
      'assets/labels/',
      ['a', 'b', 'c'].map((value) => ({ name, value })),
    );
    const visitor = await open({ language: 'en' });
    const { page } = visitor;
    const view = new ConsolePage(visitor);
    await signIn(visitor, ADMIN, `/ui/assets/labels?search=${name}&order=value`);
    // The box of the heading cannot have the focus before there are rows.
    await page
      .getByRole('checkbox', { name: view.say(list.selectRow, { name }) })
      .first()
      .waitFor();
    const at = () => page.evaluate(() => document.activeElement?.getAttribute('aria-label'));
    await page.getByRole('checkbox', { name: view.say(list.selectAll) }).focus();
    await page.keyboard.press('ArrowDown');
    await expect.poll(at).toBe(view.say(list.selectRow, { name }));
    await page.keyboard.press('Space');
    await page.getByText(view.say(list.selected, { count: 1 })).waitFor();
    await page.keyboard.press('ArrowRight');
    await expect.poll(at).toBe(`${view.say(common.update)} ${name}`);
    await page.keyboard.press('End');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/update$/);
    await expect.poll(() => view.field(label.fields.value.label).inputValue()).toBe('c');
  },
);

journey(
  `filters a list by another object, and shows the object's name in the tag`,
  async (open, { admin }) => {
    const name = unique('zone');
    const zone = await admin.post<{ id: string }>('assets/domains/', { name });
    const inside = unique('inside');
    const base = { ip: '192.0.2.7', protocols: ['ssh/22'], platform: 'Linux' };
    await admin.post('assets/assets/', [
      { ...base, hostname: inside, domain: zone.body.id },
      { ...base, hostname: unique('outside') },
    ]);
    const visitor = await open({ language: 'en' });
    const { page } = visitor;
    const view = new ConsolePage(visitor);
    await signIn(visitor, ADMIN, '/ui/assets/assets');
    await view.row('outside').first().waitFor();
    await view.button(list.advancedFilter).click();
    const choice = view.dialog.getByRole('combobox', { name: asset.fields.domain.label.en });
    await choice.click();
    await choice.fill(name);
    await page.getByRole('option', { name }).click();
    // The drawer says how many rows match before anything is applied.
    await view.dialog.getByText(view.say(list.matching, { count: 1 }), { exact: true }).waitFor();
    await view.dialog.getByRole('button', { name: view.say(list.apply), exact: true }).click();
    await view.row('outside').first().waitFor({ state: 'detached' });
    await view.row(inside).waitFor();
    await page.getByText(`${asset.fields.domain.label.en}: ${name}`).waitFor();
    expect(new URL(page.url()).searchParams.get('domain')).toBe(zone.body.id);
    await page.reload();
    await page.getByText(`${asset.fields.domain.label.en}: ${name}`).waitFor();
    await page
      .getByRole('button', {
        name: view.say(list.removeTag, { tag: `${asset.fields.domain.label.en}: ${name}` }),
      })
      .click();
    await view.row('outside').first().waitFor();

    // Each word is a separate condition: both must match, and one can be removed alone.
    await view.search('inside');
    await view.row('outside').first().waitFor({ state: 'detached' });
    await view.search('192.0.2.8');
    await page.getByText(view.say(list.nothingFound), { exact: true }).waitFor();
    expect(new URL(page.url()).searchParams.get('search')).toBe('inside 192.0.2.8');
    await page
      .getByRole('button', { name: view.say(list.removeTag, { tag: '192.0.2.8' }) })
      .click();
    await view.row(inside).waitFor();
    await page.keyboard.press('Backspace');
    await view.row('outside').first().waitFor();
  },
);

journey(
  'keeps the columns that a user chose for a list in every browser',
  async (open, { admin }) => {
    // An empty list has no columns.
    await create(admin, 'assets/labels/', { name: unique('kept'), value: 'columns' });
    const choose = async (shown: boolean) => {
      const visitor = await open({ language: 'en' });
      const { page } = visitor;
      const view = new ConsolePage(visitor);
      await signIn(visitor, ADMIN, '/ui/assets/labels');
      const heading = page.getByRole('columnheader', { name: label.fields.date_created.label.en });
      await page.getByRole('columnheader', { name: label.fields.name.label.en }).waitFor();
      await expect.poll(() => heading.count()).toBe(shown ? 1 : 0);
      const kept = page.waitForResponse(
        (response) =>
          response.url().includes('/users/preferences/') && response.request().method() === 'PATCH',
      );
      await view.button(list.columns).click();
      await page.getByRole('checkbox', { name: label.fields.date_created.label.en }).click();
      await kept;
      await expect.poll(() => heading.count()).toBe(shown ? 0 : 1);
    };
    await choose(false);
    await choose(true);
  },
);

journey(
  'hides columns without room but never the main one, and shows all on request',
  async (open, { admin }) => {
    const person = await buildPerson(admin, { role: 'Auditor' });
    const visitor = await open({ language: 'en', size: { width: 1440, height: 900 } });
    const { page } = visitor;
    const view = new ConsolePage(visitor);
    await signIn(visitor, person, '/ui/audits/login-log');
    await view.row(person.username).first().waitFor();
    const headings = () =>
      page
        .locator('th[data-column]')
        .evaluateAll((cells) => cells.map((cell) => cell.getAttribute('data-column')));
    const sideways = () =>
      page
        .getByRole('table')
        .evaluate(
          (table) =>
            (table.parentElement?.scrollWidth ?? 0) - (table.parentElement?.clientWidth ?? 0),
        );
    await expect.poll(headings).toHaveLength(9);
    const all = await headings();
    for (const width of [1024, 390]) {
      await page.setViewportSize({ width, height: 800 });
      await expect.poll(async () => (await headings()).length).toBeLessThan(width === 390 ? 5 : 9);
      await expect.poll(sideways).toBe(0);
      await expect
        .poll(headings)
        .toEqual(expect.arrayContaining(['username', 'status', 'datetime']));
    }
    await view.button(list.tools).click();
    await view.button(list.columns).click();
    await page.getByRole('checkbox', { name: loginLog.fields.city.label.en, exact: true }).click();
    await expect.poll(headings).toContain('city');
    await view.button(columns.usualColumns).click();
    await expect.poll(headings).not.toContain('city');
    await page.setViewportSize({ width: 1440, height: 900 });
    await expect.poll(headings).toEqual(all);

    // The heading stays in sight below the top area, and its edge moves with the arrow keys.
    await page.setViewportSize({ width: 1440, height: 320 });
    const head = page.locator('th[data-column=username]');
    const below = () =>
      head.evaluate((cell) =>
        Math.round(
          cell.getBoundingClientRect().top -
            Number.parseFloat(document.documentElement.style.getPropertyValue('--top-area')),
        ),
      );
    expect(await below()).toBeGreaterThan(0);
    await page.evaluate((by) => scrollBy(0, by), (await below()) + 24);
    await expect.poll(below).toBe(0);
    await head.hover();
    const before = await head.evaluate((cell) => Math.round(cell.getBoundingClientRect().width));
    await head.getByRole('separator').press('ArrowRight');
    await expect
      .poll(() => head.evaluate((cell) => Math.round(cell.getBoundingClientRect().width)))
      .toBe(before + 10);
  },
);

journey('creates several objects in a row, and shows on each page who changed it', async (open) => {
  const names = [unique('one'), unique('two')] as const;
  const visitor = await open({ language });
  const { page } = visitor;
  const view = new ConsolePage(visitor);
  await signIn(visitor, ADMIN, '/ui/users/groups/create');
  const name = view.field({ zh: '名称', en: 'Name' });
  await name.fill(names[0]);
  await view.button(form.saveAndAdd).click();
  await heardMessage(page, view.say(common.createSuccess));
  await expect.poll(() => name.inputValue()).toBe('');
  await expect
    .poll(() => name.evaluate((element) => element === document.activeElement))
    .toBe(true);
  await name.fill(`  ${names[1]}  `);
  await view.submit();
  await page.waitForURL(/\/ui\/users\/groups$/);
  await view.row(names[0]).waitFor();

  await view.row(names[1]).getByRole('link').click();
  await page.getByRole('button', { name: view.say(common.update), exact: true }).click();
  await view.field({ zh: '备注', en: 'Comment' }).fill('a new comment');
  await view.submit();
  await page.waitForURL(/\/ui\/users\/groups$/);
  await view.row(names[1]).getByRole('link').click();
  await page.getByRole('tab', { name: view.say(detail.activity) }).click();
  await expect.poll(() => view.rows.count()).toBe(2);
  await page
    .getByRole('button', { name: view.say(list.expand, { name: names[1] }) })
    .first()
    .click();
  await page.getByRole('cell', { name: 'a new comment', exact: true }).waitFor();
  expect(new URL(page.url()).searchParams.get('activeTab')).toBe('Activity');
});

journey(
  'shows limits before the form is sent, and requires both ends of a date range',
  async (open) => {
    const visitor = await open({ language });
    const { page } = visitor;
    const view = new ConsolePage(visitor);
    await signIn(visitor, ADMIN, '/ui/assets/system-users/create');
    await view.unfold(form.moreOptions);
    const priority = view.field(systemUser.fields.priority.label);
    await priority.fill('0');
    await priority.blur();
    await page.getByText(view.say(FIELD_ERRORS.too_small, { min: 1 }), { exact: true }).waitFor();
    await priority.fill('101');
    await priority.blur();
    await page.getByText(view.say(FIELD_ERRORS.too_large, { max: 100 }), { exact: true }).waitFor();
    await priority.fill('100');
    await priority.blur();
    await expect.poll(() => priority.getAttribute('aria-invalid')).not.toBe('true');

    // Nothing was submitted: the browser would ask, and the frame does.
    await (await view.entry(language === 'zh' ? '操作日志' : 'Operation logs')).click();
    await view.dialog.getByRole('button', { name: view.say(form.leave), exact: true }).click();
    await page.waitForURL(/\/ui\/audits\/operate-log/);
    const range = page.getByRole('button', { name: new RegExp(`^${view.say(list.dateRange)}`) });
    await range.click();
    const apply = view.button(list.apply);
    await apply.waitFor();
    await apply.and(page.locator(':enabled')).waitFor();
    await page
      .getByRole('button', { name: `${view.say(form.clear)} ${view.say(list.dateTo)}` })
      .click();
    await apply.and(page.locator(':disabled')).waitFor();
    await page.getByRole('button', { name: view.say(list.lastWeek), exact: true }).click();
    await page.waitForURL(/date_from=/);
    const { searchParams } = new URL(page.url());
    const days =
      (Date.parse(searchParams.get('date_to') ?? '') -
        Date.parse(searchParams.get('date_from') ?? '')) /
      86_400_000;
    expect(days).toBe(7);
  },
);
