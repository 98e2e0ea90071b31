import { label } from '@sallyport/contract';
import { expect } from 'vitest';
import { words as list } from '../../web/src/console/resource/list/words.ts';
import { words } from '../../web/src/console/resource/transfer/words.ts';
import { common } from '../../web/src/kit/i18n/common.ts';
import { unique } from '../harness/build.ts';
import { useStage } from '../harness/journey.ts';
import { languageOfFile } from '../harness/language.ts';
import { heardMessage } from '../harness/messages.ts';
import { ADMIN } from '../harness/server.ts';
import { ConsolePage } from '../pages/console-page.ts';
import { signIn } from '../pages/sign-in-page.ts';
import { csvFile, transferPage } from '../pages/transfer-page.ts';

const language = languageOfFile(import.meta.url);

const { journey } = useStage();

const SAID = {
  zh: {
    required: '第 3 行. 名称: 这个字段是必填项',
    unique: '第 6 行. 名称: 字段必须唯一。',
    created: '导入创建成功，总共：2',
    updated: '导入更新成功，总共：1',
  },
  en: {
    required: 'line 3. Name: This field is required',
    unique: 'line 6. Name: This field must be unique.',
    created: 'Create success, total: 2',
    updated: 'Update success, total: 1',
  },
} as const;

journey(
  'checks a file row by row before writing, imports it, and updates from it',
  async (open, { admin }) => {
    const color = unique('color');
    await admin.post('assets/labels/', { name: color, value: 'taken' });
    const count = async () =>
      (await admin.get<{ count: number }>(`assets/labels/?limit=1&name=${color}`)).body.count;
    const visitor = await open({ language });
    const { page } = visitor;
    const view = new ConsolePage(visitor);
    const transfer = transferPage(visitor);
    await signIn(visitor, ADMIN, '/ui/assets/labels');
    await view.row(color).waitFor();
    await transfer.openImport();

    // Not a CSV file: said in red, and nothing is sent.
    await transfer.choose(csvFile('name', 'rows.xlsx'));
    await view.dialog.getByRole('alert').getByText(view.say(words.onlyCsv)).waitFor();

    // A quoted line end and a blank row: the lines are those of a spreadsheet.
    const head = `${label.fields.name.label[language]},${label.fields.value.label[language]},comment`;
    visitor.watch.allow(/^400 POST \/api\/v1\/assets\/labels\//);
    await transfer.choose(
      csvFile(
        `${head}\r\n${color},one,"a\r\nb"\r\n,two,\r\n,,\r\n${color},three,\r\n${color},taken,\r\n`,
      ),
    );
    await view.dialog.getByText(SAID[language].required).waitFor();
    await view.dialog.getByText(SAID[language].unique).waitFor();
    await view.dialog.getByText(view.say(words.someBad, { count: 4, bad: 2 })).waitFor();
    // Good rows have their verdict, too.
    await view.dialog.getByRole('checkbox', { name: view.say(words.onlyProblems) }).uncheck();
    await expect
      .poll(() => view.dialog.getByText(view.say(words.good), { exact: true }).count())
      .toBe(2);
    expect(await transfer.confirm().count()).toBe(0);
    expect(await count()).toBe(1);

    // Fix a cell in the grid, import the good rows while the bad one waits, and undo the import.
    await transfer.cell(3, label.fields.name.label[language]).fill(color);
    await view.dialog.getByRole('button', { name: view.say(words.checkAgain) }).click();
    await view.dialog.getByText(view.say(words.someBad, { count: 4, bad: 1 })).waitFor();
    await view.dialog
      .getByRole('button', { name: view.say(words.importGood, { count: 3 }) })
      .click();
    await view.dialog.getByText(view.say(words.importedCount, { count: 3 })).waitFor();
    await view.dialog.getByText(SAID[language].unique).waitFor();
    expect(await count()).toBe(4);
    await view.dialog.getByRole('button', { name: view.say(words.undoTitle) }).click();
    const question = page.getByRole('dialog', { name: view.say(words.undoTitle) });
    await question.getByText(view.say(words.undoQuestion, { count: 3 })).waitFor();
    await question.getByRole('button', { name: view.say(words.undoTitle) }).click();
    await page.getByText(view.say(words.undone, { count: 3 })).waitFor();
    expect(await count()).toBe(1);
    await transfer.openImport();

    // The same in the encoding of a Chinese spreadsheet program, dropped onto the dialog.
    const good = csvFile(`${head}\n${color},one,first\n${color},two,second\n`);
    const data = await page.evaluateHandle((text) => {
      const transferred = new DataTransfer();
      transferred.items.add(new File([text], 'dropped.CSV', { type: 'text/csv' }));
      return transferred;
    }, good.buffer.toString());
    await view.dialog
      .getByRole('group', { name: view.say(words.chooseFile) })
      .dispatchEvent('drop', { dataTransfer: data });
    await view.dialog.getByText(view.say(words.allGood, { count: 2 })).waitFor();
    expect(await count()).toBe(1);
    await transfer.confirm().click();
    await heardMessage(page, SAID[language].created);
    await view.dialog.waitFor({ state: 'detached' });
    expect(await count()).toBe(3);
    // The list shows what came from the file, and nothing else.
    await page.getByRole('button', { name: view.say(words.showImported) }).click();
    await view.row(/one/).waitFor();
    await expect.poll(() => view.row(/taken/).count()).toBe(0);

    // The template for updates holds the selected row; filled in, it changes that row.
    await view
      .row('first')
      .or(view.row(new RegExp(`${color}.*one`)))
      .first()
      .getByRole('checkbox')
      .check();
    await transfer.openImport();
    await transfer.mode('update');
    const template = await transfer.template('update');
    expect(template.trim().split('\r\n')).toHaveLength(2);
    expect(template).toContain('first');
    await transfer.choose(csvFile(template.replace('first', 'changed')));
    await view.dialog.getByText(view.say(words.allGood, { count: 1 })).waitFor();
    await transfer.confirm().click();
    await heardMessage(page, SAID[language].updated);
    const { body } = await admin.get<{ comment: string }[]>(
      `assets/labels/?name=${color}&value=one`,
    );
    expect(body.map(({ comment }) => comment)).toEqual(['changed']);
  },
);

journey('exports all rows, the matching rows, or the selected rows', async (open, { admin }) => {
  const [red, blue] = [unique('red'), unique('blue')];
  for (const name of [red, blue])
    for (const value of ['one', 'two']) await admin.post('assets/labels/', { name, value });
  const visitor = await open({ language: 'en' });
  const view = new ConsolePage(visitor);
  const transfer = transferPage(visitor);
  await signIn(visitor, ADMIN, '/ui/assets/labels');
  await view.row(red).first().waitFor();
  await view.button(list.export).click();
  const radio = (text: keyof typeof words) =>
    view.dialog.getByRole('radio', { name: view.say(words[text]), exact: true });
  expect(await radio('exportSelected').isDisabled()).toBe(true);
  expect(await radio('exportFiltered').isDisabled()).toBe(true);
  await view.dialog.getByRole('button', { name: view.say(common.cancel) }).click();

  await visitor.page.goto(`/ui/assets/labels?search=${red}`);
  await view.row(blue).first().waitFor({ state: 'detached' });
  await view.row(red).first().waitFor();
  const file = await transfer.export();
  expect([file.includes(red), file.includes(blue)]).toEqual([true, false]);
  // All is really all, whatever is searched.
  const all = await transfer.export('exportAll');
  expect([all.includes(red), all.includes(blue)]).toEqual([true, true]);
  await view.row(/two/).getByRole('checkbox').check();
  const selected = await transfer.export();
  expect([selected.includes('two'), selected.includes('one'), selected.includes(blue)]).toEqual([
    true,
    false,
    false,
  ]);
});
