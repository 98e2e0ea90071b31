import type { Locator, Page } from 'playwright-core';

/** Does what a person does with mouse and keyboard, and counts it. */
export class Hand {
  clicks = 0;
  keys = 0;

  /** Points at something and presses the button. */
  async click(target: Locator): Promise<void> {
    this.clicks++;
    await target.click();
  }

  /** Types into a field: a click where the field has no focus yet, then its characters. */
  async type(field: Locator, text: string): Promise<void> {
    await field.waitFor();
    if (!(await field.evaluate((element) => element === document.activeElement))) await this.click(field);
    this.keys += [...text].length;
    await field.fill(text);
  }

  /** Pastes into a field what was copied elsewhere: two keys. */
  async paste(field: Locator, text: string): Promise<void> {
    await this.click(field);
    this.keys += 2;
    await field.fill(text);
  }

  /** Presses one key or combination. */
  async press(page: Page, key: string): Promise<void> {
    this.keys++;
    await page.keyboard.press(key);
  }

  /** Chooses from a list that is searched: a click into the field, the letters of a search, a click on what was found. */
  async choose(page: Page, field: Locator, search: string): Promise<void> {
    await this.type(field, search);
    await this.click(page.getByRole('option', { name: search }).first());
  }
}
