import { type Language, say } from '@sallyport/contract';
import type { Locator, Page } from 'playwright-core';
import { words as connectionWords } from '../../web/src/terminal/session/words.ts';
import { words as workspaceWords } from '../../web/src/terminal/words.ts';

/** One terminal in the terminal window. */
export class TerminalPage {
  readonly page: Page;
  readonly #language: Language;
  readonly #name: string;

  /** `name` is the asset's. */
  constructor(page: Page, language: Language, name: string) {
    this.page = page;
    this.#language = language;
    this.#name = name;
  }

  /** The element with the drawn text. */
  get screen(): Locator {
    return this.page
      .getByRole('group', {
        name: say(workspaceWords.terminalOf, this.#language, { name: this.#name }),
      })
      .filter({ visible: true });
  }

  /** The messages over it or below it. */
  get notice(): Locator {
    return this.page.getByRole('alert');
  }

  get reconnect(): Locator {
    return this.page.getByRole('button', {
      name: say(connectionWords.reconnect, this.#language),
      exact: true,
    });
  }

  /** Waits for the shell's prompt. */
  async ready(): Promise<void> {
    await this.page
      .getByText(say(workspaceWords.stateOpen, this.#language), { exact: true })
      .filter({ visible: true })
      .first()
      .waitFor();
    await this.shows(/[$#] ?\s*$/);
  }

  /** Types text as fingers do. */
  async type(text: string): Promise<void> {
    await this.screen.getByRole('textbox').focus();
    await this.page.keyboard.type(text);
  }

  /** Types a command and presses Enter. */
  async run(command: string): Promise<void> {
    await this.type(command);
    await this.page.keyboard.press('Enter');
  }

  /** Everything that is drawn at the moment. */
  async text(): Promise<string> {
    // biome-ignore lint/performance/useDomNodeTextContent: only as they are laid out are the rows lines
    return (await this.screen.innerText()).replaceAll(' ', ' ').trimEnd();
  }

  /** Waits until something is drawn. */
  async shows(wanted: string | RegExp, milliseconds = 60_000): Promise<void> {
    const end = Date.now() + milliseconds;
    let seen = '';
    while (Date.now() < end) {
      seen = await this.text();
      if (typeof wanted === 'string' ? seen.includes(wanted) : wanted.test(seen)) return;
      await this.page.waitForTimeout(40);
    }
    throw new Error(`the terminal never showed ${wanted}; it showed:\n${seen}`);
  }
}

/** Opens the terminal window and connects to an asset at once. */
export async function connectTo(
  page: Page,
  language: Language,
  asset: { readonly id: string; readonly name: string },
): Promise<TerminalPage> {
  await page.goto(`/luna/?login_to=${asset.id}`);
  return new TerminalPage(page, language, asset.name);
}
