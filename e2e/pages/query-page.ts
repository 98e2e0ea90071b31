import { say } from '@sallyport/contract';
import type { Locator } from 'playwright-core';
import { words } from '../../web/src/terminal/query/words.ts';
import type { Visitor } from '../harness/browser.ts';

/** The workspace on one database. */
export const queryPage = ({ page, language }: Pick<Visitor, 'page' | 'language'>) => {
  const byName = (text: Parameters<typeof say>[0]) => ({ name: say(text, language), exact: true });
  const editor = page.getByRole('textbox', byName(words.editor));
  const results = page.getByRole('region', byName(words.results));
  return {
    editor,
    results,
    /** The line of the newest statement with this text. */
    outcome: (text: string): Locator =>
      results
        .locator('div')
        .filter({ has: page.locator('code', { hasText: text }) })
        .last(),
    grid: page.getByRole('grid'),
    cell: (text: string) => page.getByRole('gridcell', { name: text, exact: true }),
    button: (text: Parameters<typeof say>[0]) => page.getByRole('button', byName(text)),
    /** Replaces what the editor has. */
    async write(text: string): Promise<void> {
      await editor.click();
      await page.keyboard.press('Control+a');
      await page.keyboard.press('Delete');
      await page.keyboard.insertText(text);
    },
    /** Writes statements and runs all of them with the keyboard. */
    async run(text: string): Promise<void> {
      await this.write(text);
      await page.keyboard.press('Control+Shift+Enter');
    },
  };
};
