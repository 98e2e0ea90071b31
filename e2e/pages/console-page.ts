import { type Language, type LocalText, say } from '@sallyport/contract';
import type { Locator, Page } from 'playwright-core';
import { words as frame } from '../../web/src/console/base/words.ts';
import { words as listWords } from '../../web/src/console/resource/list/words.ts';
import { words as consequences } from '../../web/src/kit/consequences/words.ts';
import { common } from '../../web/src/kit/i18n/common.ts';
import { heardMessage } from '../harness/messages.ts';

/** A page of the console, by the names that a person (or a screen reader) sees. */
export class ConsolePage {
  readonly page: Page;
  readonly #language: Language;

  constructor({ page, language }: { readonly page: Page; readonly language: Language }) {
    this.page = page;
    this.#language = language;
  }

  /** A text of the catalogue in the language of the page. */
  say(text: LocalText, params?: Readonly<Record<string, string | number>>): string {
    return say(text, this.#language, params);
  }

  button(text: LocalText | string): Locator {
    return this.page.getByRole('button', {
      name: typeof text === 'string' ? text : this.say(text),
      exact: true,
    });
  }

  /** A link, or a button that only opens a page. */
  link(text: LocalText | string): Locator {
    return this.page.getByRole('link', {
      name: typeof text === 'string' ? text : this.say(text),
      exact: true,
    });
  }

  /** The answer of the open question about several objects, such as “Delete 3 assets”. */
  answerToMany(act: 'deleteMany' | 'updateMany'): Locator {
    const verb = this.say(listWords[act], { objects: '' }).trim();
    return this.dialog.getByRole('button', { name: new RegExp(`^${verb} \\d`) });
  }

  get heading(): Locator {
    return this.page.getByRole('heading', { level: 1 });
  }

  get menu(): Locator {
    return this.page.getByRole('navigation', { name: this.say(frame.menu) });
  }

  get tabs(): Locator {
    return this.page.getByRole('navigation', { name: this.say(frame.visited) });
  }

  get dialog(): Locator {
    return this.page.getByRole('dialog');
  }

  get main(): Locator {
    return this.page.getByRole('main');
  }

  /**
   * Opens a page from the sidebar, and returns when it is shown: an early click would hit the
   * previous page. The group of the entry is unfolded first.
   */
  async open(entry: string): Promise<void> {
    const link = await this.entry(entry);
    await link.click();
    // The menu marks where one goes at once; the tab comes with the page.
    await this.tabs
      .getByRole('link', { name: entry, exact: true })
      .and(this.page.locator('[aria-current="page"]'))
      .waitFor();
  }

  /** The entry of the sidebar with a name, in its unfolded group. */
  async entry(name: string): Promise<Locator> {
    const link = this.menu.getByRole('link', { name, exact: true, includeHidden: true });
    await link.waitFor({ state: 'attached' });
    const id = await link.evaluate((element) => element.closest('ul')?.id);
    if (id) {
      const head = this.menu.locator(`[aria-controls="${id}"]`);
      if ((await head.getAttribute('aria-expanded')) !== 'true') await head.click();
    }
    return link;
  }

  row(name: string | RegExp): Locator {
    return this.page.getByRole('row').filter({ hasText: name });
  }

  /** Rows of the list without its heading. */
  get rows(): Locator {
    return this.main
      .getByRole('table')
      .getByRole('row')
      .filter({ has: this.page.getByRole('cell') });
  }

  /** Searches a list everywhere. */
  async search(text: string): Promise<void> {
    const field = this.main.getByRole('combobox', {
      name: this.say(listWords.searchPlaceholder),
      exact: true,
    });
    await field.fill(text);
    await field.press('Enter');
  }

  /** A text field of a form. */
  field(label: LocalText | string, within = this.main): Locator {
    const text = typeof label === 'string' ? label : this.say(label);
    // A required field's label ends with a star that is not read out.
    return within.getByLabel(new RegExp(`^${RegExp.escape(text)}[ *]*$`));
  }

  /** Chooses an object of another resource in a form. */
  async choose(label: LocalText | string, option: string): Promise<void> {
    const input = this.field(label).and(
      this.page.getByRole('textbox').or(this.page.getByRole('combobox')),
    );
    await input.click();
    await input.fill(option);
    // The list moves when the answer to the search comes.
    const answered = this.page
      .getByRole('listbox')
      .and(this.page.locator(':not([aria-busy="true"])'));
    await answered.getByRole('option', { name: option }).first().click();
    await this.page.keyboard.press('Escape');
  }

  /** Opens a folded section of a form. */
  async unfold(title: LocalText): Promise<void> {
    const head = this.main.getByRole('button', { name: this.say(title), exact: true });
    // A form may unfold the section by itself in the same moment; the click then folds it.
    while ((await head.getAttribute('aria-expanded')) !== 'true') await head.click();
  }

  /** Sends the form. */
  submit = () => this.button(common.submit).click();

  /** Keeps the offer to undo a change on screen: it disappears unless the pointer hovers. */
  async holdUndo(): Promise<Locator> {
    const offer = this.button(consequences.undo);
    await offer.hover();
    return offer;
  }

  /** Waits for a short message, or finds that it came. */
  notified = (text: LocalText) => heardMessage(this.page, this.say(text));
}
