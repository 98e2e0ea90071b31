import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { buildGranted } from '../harness/build.ts';
import { useOwnServer } from '../harness/journey.ts';
import { signIn } from '../pages/sign-in-page.ts';
import { connectTo } from '../pages/terminal-page.ts';

const { journey } = useOwnServer();

const SIZES = { from: 10, to: 20 };

/** Pixels below a row into which its underscores may reach. */
const BELOW = 2;

/** Counts the colors of a drawn row. */
async function colorsOf(page: Page, row: Locator): Promise<number> {
  const box = await row.boundingBox();
  if (!box) throw new Error('the row is not drawn');
  const clip = { ...box, height: box.height + BELOW };
  const picture = (await page.screenshot({ clip })).toString('base64');
  return page.evaluate(async (data) => {
    // The policy of the page lets no script fetch a data URL.
    const bytes = Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));
    const image = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
    const canvas = new OffscreenCanvas(image.width, image.height);
    const context = canvas.getContext('2d');
    context?.drawImage(image, 0, 0);
    const pixels = context?.getImageData(0, 0, image.width, image.height).data ?? [];
    const colors = new Set<string>();
    for (let at = 0; at < pixels.length; at += 4)
      colors.add(`${pixels[at]} ${pixels[at + 1]} ${pixels[at + 2]}`);
    return colors.size;
  }, picture);
}

journey(
  'draws underscores in the terminal at every font size and line height',
  async (open, { admin, sshd }) => {
    for (const lineHeight of [1, 1.1]) {
      // Settings follow their user, so each height has another one.
      const { person, asset } = await buildGranted(admin, sshd);
      const visitor = await open({ language: 'en' });
      const { page } = visitor;
      await page.addInitScript(
        (settings) => localStorage.setItem('sallyport-terminal', settings),
        JSON.stringify({ fontSize: SIZES.from, lineHeight }),
      );
      await signIn(visitor, person, '/luna/');
      const terminal = await connectTo(page, 'en', asset);
      await terminal.ready();
      await terminal.run('clear; echo ________; echo');
      const row = page
        .locator('.xterm-rows > div')
        .filter({ hasText: /^_{8}\s*$/ })
        .locator('span')
        .first();
      const blank: number[] = [];
      for (let size = SIZES.from; size <= SIZES.to; size += 1) {
        await row.waitFor();
        await expect
          .poll(() => row.evaluate((element) => getComputedStyle(element).fontSize))
          .toBe(`${size}px`);
        if ((await colorsOf(page, row)) < 2) blank.push(size);
        await page.keyboard.press('Control+Shift+ArrowUp');
      }
      expect({ lineHeight, blank }).toEqual({ lineHeight, blank: [] });
    }
  },
);
