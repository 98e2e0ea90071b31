import { type Language, say } from '@sallyport/contract';
import type { Page } from 'playwright-core';
import { replayWords as words } from '../../web/src/terminal/words/replay.ts';

/** The replay of a session. */
export const replayPage = (page: Page, language: Language) => ({
  /** The commands beside the picture. */
  commands: page.getByRole('complementary', { name: say(words.commands, language) }),
  /** Plays from the beginning, as fast as it goes, until the picture shows a text. */
  async playUntil(text: string): Promise<void> {
    await page.getByRole('button', { name: say(words.play, language), exact: true }).click();
    await page.getByText(text).and(page.locator(':not(button, button *, aside *)')).first().waitFor();
  },
});
