import { type Language, say } from '@sallyport/contract';
import type { Page } from 'playwright-core';
import { words } from '../../web/src/terminal/replay/words.ts';

/** The replay of a session. */
export const replayPage = (page: Page, language: Language) => ({
  /** The commands next to the picture. */
  commands: page.getByRole('complementary', { name: say(words.commands, language) }),
  /** Begins to play; there as soon as the recording is, and whenever it does not play. */
  play: page.getByRole('button', { name: say(words.play, language), exact: true }),
  /** Presses a key that goes to another moment, and waits until it is drawn. */
  async jump(key: string): Promise<void> {
    await page.keyboard.press(key);
    await page
      .getByRole('status')
      .filter({ hasText: say(words.seeking, language) })
      .waitFor({ state: 'hidden' });
  },
  /** Goes to the end, where it stops to play: the picture of a later jump is not played on. */
  async finish(): Promise<void> {
    await this.jump('End');
    await this.play.waitFor();
  },
  /**
   * Hovers over a share of a desktop's time line. Returns the middle pixel of the thumbnail once it
   * is drawn.
   */
  async thumbnail(share: number): Promise<readonly number[]> {
    const bar = page.getByRole('slider', { name: say(words.position, language) });
    const { width, height } = (await bar.boundingBox()) ?? { width: 0, height: 0 };
    await bar.hover({
      position: { x: Math.min(width - 1, Math.max(1, width * share)), y: height / 2 },
    });
    const picture = page.locator('canvas[data-second]');
    await picture.waitFor();
    return picture.evaluate((element) => {
      const canvas = element as HTMLCanvasElement;
      return [
        ...(canvas
          .getContext('2d')
          ?.getImageData(canvas.width >> 1, canvas.height >> 1, 1, 1)
          .data.subarray(0, 3) ?? []),
      ];
    });
  },
  /** Plays from the beginning until the picture shows a text. */
  async playUntil(text: string): Promise<void> {
    await this.play.click();
    await page
      .getByText(text)
      .and(page.locator(':not(button, button *, aside *)'))
      .first()
      .waitFor();
  },
});
