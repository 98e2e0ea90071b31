import type { Locator, Page } from 'playwright-core';

/** Users stop looking for a button after this number of Tab keys. */
const MOST_TABS = 60;

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
    if (!(await field.evaluate((element) => element === document.activeElement)))
      await this.click(field);
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

  /**
   * Reaches an element with Tab, like users without a mouse. @throws Error if it is unreachable or
   * too many keys away
   */
  async tabTo(page: Page, target: Locator): Promise<void> {
    await target.waitFor();
    for (let keys = 0; keys < MOST_TABS; keys++) {
      if (await target.evaluate((element) => element === document.activeElement)) return;
      await this.press(page, 'Tab');
    }
    throw new Error(`${String(target)} is not reached by ${MOST_TABS} times Tab`);
  }

  /** Types at the keyboard into what has the focus. */
  async write(page: Page, text: string): Promise<void> {
    this.keys += [...text].length;
    await page.keyboard.type(text);
  }

  /** Chooses from a searchable list with the hands at the keyboard: the first match by Enter. */
  async pick(page: Page, field: Locator, search: string): Promise<void> {
    await this.type(field, search);
    await page
      .locator('[role=option][data-combobox-selected]')
      .filter({ hasText: search })
      .first()
      .waitFor();
    await this.press(page, 'Enter');
  }

  /** Chooses from a searchable list: clicks into the field, types a search, clicks the match. */
  async choose(page: Page, field: Locator, search: string): Promise<void> {
    await this.type(field, search);
    await this.click(page.getByRole('option', { name: search }).first());
  }
}
