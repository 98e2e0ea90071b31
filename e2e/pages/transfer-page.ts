import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { words as list } from '../../web/src/console/resource/list/words.ts';
import { words } from '../../web/src/console/resource/transfer/words.ts';
import { common } from '../../web/src/kit/i18n/common.ts';
import type { Visitor } from '../harness/browser.ts';
import { ConsolePage } from './console-page.ts';

/** A file as a person chooses it. */
export const csvFile = (content: string | Uint8Array, name = 'rows.csv') => ({
  name,
  mimeType: 'text/csv',
  buffer: Buffer.from(content),
});

async function savedBy(page: Page, action: () => Promise<unknown>): Promise<string> {
  const [download] = await Promise.all([page.waitForEvent('download'), action()]);
  return readFile(await download.path(), 'utf8');
}

/** The import and export dialogs of the list a visitor looks at. */
export function transferPage(visitor: Visitor) {
  const { page } = visitor;
  const view = new ConsolePage(visitor);
  return {
    openImport: () => view.button(list.import).click(),
    mode: (mode: 'create' | 'update') =>
      view.dialog.getByRole('radio', { name: view.say(common[mode]), exact: true }).check(),
    async choose(file: ReturnType<typeof csvFile>): Promise<void> {
      const button = view.dialog.getByRole('button', {
        name: new RegExp(`^(${view.say(words.chooseFile)}|${view.say(words.chooseOther)})$`),
      });
      const [chooser] = await Promise.all([page.waitForEvent('filechooser'), button.click()]);
      await chooser.setFiles(file);
    },
    template: (purpose: 'create' | 'update') =>
      savedBy(page, () =>
        view.dialog
          .getByText(view.say(purpose === 'create' ? words.createTemplate : words.updateTemplate), {
            exact: true,
          })
          .click(),
      ),
    /** A cell of a row with problems, by its line and column. */
    cell: (line: number, column: string) =>
      view.dialog.getByRole('textbox', {
        name: view.say(words.cell, { line, column }),
        exact: true,
      }),
    /** Imports all rows of a file without problems. */
    confirm: () =>
      view.dialog.getByRole('button', {
        name: new RegExp(`^${view.say(words.importRows, { count: 0 }).replace(/0.*/, '')}\\d`),
      }),
    /** Exports a range; `undefined` takes the one that is proposed. */
    async export(range?: 'exportAll' | 'exportSelected' | 'exportFiltered'): Promise<string> {
      await view.button(list.export).click();
      if (range)
        await view.dialog.getByRole('radio', { name: view.say(words[range]), exact: true }).check();
      return savedBy(page, () =>
        view.dialog.getByRole('button', { name: view.say(list.export), exact: true }).click(),
      );
    },
  };
}
